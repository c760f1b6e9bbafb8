/** Where events go, the deliveries of each, and their attempts. */
import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import {
  FINAL_STATUSES,
  type LogStatus,
  type Topic,
  UNFINISHED_STATUSES,
} from '../../src/domain/webhook/events.ts'
import { vaults } from './access.ts'
import { bytea, createdAt, encrypted, moment } from './columns.ts'

/** Where a vault's events go, per topic, and the secrets that sign them. */
export const webhookSettings = pgTable(
  'webhook_settings',
  {
    vaultId: uuid('vault_id')
      .primaryKey()
      .references(() => vaults.id),
    urlList: jsonb('url_list').$type<Partial<Record<Topic, string[]>>>().notNull().default({}),
    secret: encrypted('secret').notNull(),
    /** The secret before it, which signs beside it until it expires. */
    previousSecret: encrypted('previous_secret'),
    previousSecretExpiresAt: moment('previous_secret_expires_at'),
    redirectUrl: text('redirect_url'),
    /** Whether attempts go on for hours after the fourth. */
    longRetries: boolean('long_retries').notNull().default(false),
  },
  (table) => [
    index('webhook_settings_expiring')
      .on(table.previousSecretExpiresAt)
      .where(sql`previous_secret_expires_at IS NOT NULL`),
  ],
)

const statusIn = (statuses: readonly LogStatus[]) =>
  sql.raw(`status IN (${statuses.map((status) => `'${status}'`).join(', ')})`)

/** As text, not as parameters: a query uses a partial index whose condition it states. */
export const unfinished = statusIn(UNFINISHED_STATUSES)
export const final = statusIn(FINAL_STATUSES)

/** One event for one vault: what is sent, where to, and how far that is. */
export const webhookLogs = pgTable(
  'webhook_logs',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    topic: text('topic').$type<Topic>().notNull(),
    /** The event's own, where the topic above stood in for it. */
    eventTopic: text('event_topic').$type<Topic>(),
    status: text('status').$type<LogStatus>().notNull().default('pending'),
    failReason: text('fail_reason'),
    /** The exact text that is signed and sent. */
    payload: text('payload').notNull(),
    retries: smallint('retries').notNull().default(0),
    /** Counts manual retries; attempts belong to a round. */
    round: smallint('round').notNull().default(1),
    urlsDestiny: text('urls_destiny').array().notNull(),
    /** The batch whose workflow delivers it; null while no process has claimed it. */
    batchId: uuid('batch_id'),
    /** The lease under which a process attempts it; null while none does. In no index, as `batch_id` is in none. */
    leaseId: uuid('lease_id'),
    /** When the next attempt is due, where that is hours away; likewise in no index. */
    dueAt: moment('due_at'),
    /** Whether `webhook_logs_search` holds the payload. */
    indexed: boolean('indexed').notNull().default(false),
    /** Whether what was personal was taken out of the payload: of answers to it nothing is kept any more. */
    erased: boolean('erased').notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    // Ids are in the order of time.
    index('webhook_logs_newest').on(table.vaultId, table.topic, table.status, table.id.desc().nullsFirst()),
    // By vault: claims go from one to the next. By round: what is sent again waits for what is new of its vault.
    index('webhook_logs_unfinished_of_vault')
      .on(table.status, table.vaultId, table.round, table.id)
      .where(unfinished),
    // Putting a payload in takes longer than all else about a log: housekeeping does it, behind the deliveries.
    index('webhook_logs_search').using('gin', table.payload.op('gin_trgm_ops')).where(sql`indexed`),
    index('webhook_logs_unindexed')
      .on(table.vaultId, table.topic, table.status, table.id)
      .where(sql`NOT indexed AND ${final}`),
  ],
)

/** Of worker processes: while one is in force, what is claimed under it is its process' alone. */
export const webhookLeases = pgTable('webhook_leases', {
  id: uuid('id').primaryKey(),
  /** Since when it has been in force without interruption. */
  heldSince: moment('held_since').notNull(),
  expiresAt: moment('expires_at').notNull(),
})

/**
 * How many logs of a day a vault has of a topic and status is the sum of `delta`: triggers of webhook_logs add rows,
 * housekeeping folds them, and nobody waits for somebody else's row.
 */
export const webhookLogCounts = pgTable(
  'webhook_log_counts',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    topic: text('topic').$type<Topic>().notNull(),
    status: text('status').$type<LogStatus>().notNull(),
    /** Of UTC, on which the logs were written. */
    day: date('day').notNull(),
    delta: bigint('delta', { mode: 'number' }).notNull(),
    /** Whether it is the sum of earlier rows. */
    folded: boolean('folded').notNull().default(false),
  },
  (table) => [
    index('webhook_log_counts_group').on(table.vaultId, table.topic, table.status),
    index('webhook_log_counts_unfolded').on(table.id).where(sql`NOT folded`),
    uniqueIndex('webhook_log_counts_sum')
      .on(table.vaultId, table.topic, table.status, table.day)
      .where(sql`folded`),
  ],
)

/** Events that were published under ids of the publisher's own: as long as logs are kept, none is published twice. */
export const publishedEvents = pgTable(
  'published_events',
  {
    vaultId: uuid('vault_id').notNull(),
    eventId: uuid('event_id').notNull(),
    /** A keyed hash of what was published. */
    contentHash: bytea('content_hash').notNull(),
    /** Null where its topic had no URLs. */
    webhookLogId: uuid('webhook_log_id'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.vaultId, table.eventId] }),
    index('published_events_oldest').on(table.createdAt),
  ],
)

/** One attempt at one URL. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    // No foreign key: checking it costs as much as the row. Both are written and deleted together.
    webhookLogId: uuid('webhook_log_id').notNull(),
    round: smallint('round').notNull(),
    number: smallint('number').notNull(),
    url: text('url').notNull(),
    statusCode: smallint('status_code'),
    error: text('error'),
    durationMs: integer('duration_ms').notNull(),
    /** The beginning of what the receiver answered, at most 2 kB. */
    excerpt: encrypted('excerpt'),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.webhookLogId, table.round, table.number, table.url] })],
)

/** URLs that are registered and have accepted nothing since an attempt failed. */
export const webhookFailingUrls = pgTable(
  'webhook_failing_urls',
  {
    vaultId: uuid('vault_id').notNull(),
    topic: text('topic').$type<Topic>().notNull(),
    url: text('url').notNull(),
    failingSince: moment('failing_since').notNull(),
  },
  (table) => [primaryKey({ columns: [table.vaultId, table.topic, table.url] })],
)
