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
  uuid,
} from 'drizzle-orm/pg-core'
import { FINAL_STATUSES, type LogStatus, type Topic, UNFINISHED_STATUSES } from '../../src/domain/events.ts'
import { vaults } from './access.ts'
import { createdAt, encrypted, moment } from './columns.ts'

/** Where a vault's events go, per topic, and the secrets that sign them. */
export const webhookSettings = pgTable('webhook_settings', {
  vaultId: uuid('vault_id')
    .primaryKey()
    .references(() => vaults.id),
  urlList: jsonb('url_list').$type<Partial<Record<Topic, string[]>>>().notNull().default({}),
  secret: encrypted('secret').notNull(),
  /** The secret before it, which signs beside it until it expires. */
  previousSecret: encrypted('previous_secret'),
  previousSecretExpiresAt: moment('previous_secret_expires_at'),
  redirectUrl: text('redirect_url'),
})

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
    /** Whether `webhook_logs_search` holds the payload. */
    indexed: boolean('indexed').notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    // Ids are in the order of time.
    index('webhook_logs_newest').on(table.vaultId, table.topic, table.status, table.id.desc().nullsFirst()),
    // Not by batch_id: claiming then touches no index. By round: what is sent again waits for what is new.
    index('webhook_logs_unfinished').on(table.status, table.round, table.id).where(unfinished),
    // Putting a payload in takes longer than all else about a log: housekeeping does it, behind the deliveries.
    index('webhook_logs_search').using('gin', table.payload.op('gin_trgm_ops')).where(sql`indexed`),
    index('webhook_logs_unindexed')
      .on(table.vaultId, table.topic, table.status, table.id)
      .where(sql`NOT indexed AND ${final}`),
  ],
)

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
  },
  (table) => [index('webhook_log_counts_group').on(table.vaultId, table.topic, table.status)],
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
