/** Schema of webhook settings, logs, attempts and leases. */
import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  customType,
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
import type { Topic } from '../../src/domain/base/topics.ts'
import {
  FINAL_STATUSES,
  type LogStatus,
  type StoredStatus,
  shownStatus,
  UNFINISHED_STATUSES,
} from '../../src/domain/webhook/events.ts'
import type { HeadersSet } from '../../src/domain/webhook/url.ts'
import { vaults } from './access.ts'
import { bytea, createdAt, encrypted, moment } from './columns.ts'

/** The URLs of a vault by topic, and the secrets that sign its events. */
export const webhookSettings = pgTable(
  'webhook_settings',
  {
    vaultId: uuid('vault_id')
      .primaryKey()
      .references(() => vaults.id),
    urlList: jsonb('url_list').$type<Partial<Record<Topic, string[]>>>().notNull().default({}),
    secret: encrypted('secret').notNull(),
    /** When the secret was last replaced. Null if it never was, or only by an earlier version. */
    secretReplacedAt: moment('secret_replaced_at'),
    /** The previous secret, which also signs deliveries until it expires. */
    previousSecret: encrypted('previous_secret'),
    previousSecretExpiresAt: moment('previous_secret_expires_at'),
    redirectUrl: text('redirect_url'),
    /** True if Gatehouse continues to retry for hours after the fourth attempt. */
    longRetries: boolean('long_retries').notNull().default(false),
    /** Increases with each change to the options of a URL. 0 if no URL ever had options. */
    optionsVersion: integer('options_version').notNull().default(0),
  },
  (table) => [
    index('webhook_settings_expiring')
      .on(table.previousSecretExpiresAt)
      .where(sql`previous_secret_expires_at IS NOT NULL`),
  ],
)

const statusIn = (statuses: readonly StoredStatus[]) =>
  sql.raw(`status IN (${statuses.map((status) => `'${status}'`).join(', ')})`)

/**
 * Conditions without parameters, because PostgreSQL uses a partial index only if a query has the same condition.
 */
export const unfinished = statusIn(UNFINISHED_STATUSES)
export const final = statusIn(FINAL_STATUSES)
export const waiting = statusIn(['waiting'])

/** Matches URLs whose failed deliveries are being sent again. */
export const resending = sql.raw('resend_total IS NOT NULL AND resend_ended_at IS NULL')

/** The options of a registered URL, and its queue. A URL without options has no row. */
export const webhookUrls = pgTable(
  'webhook_urls',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id')
      .notNull()
      .references(() => vaults.id),
    url: text('url').notNull(),
    name: text('name'),
    /** The names of the events that the URL receives, or null for all. */
    events: text('events').array(),
    headerNames: text('header_names').array().notNull().default([]),
    /** The actor who set each header, and the time. */
    headersSet: jsonb('headers_set').$type<HeadersSet>().notNull().default({}),
    /** The additional headers of requests to the URL, as JSON. */
    headers: encrypted('headers'),
    /** The certificate authorities that the receiver's certificate must chain to, as PEM. */
    ca: text('ca'),
    clientCertificate: text('client_certificate'),
    clientKey: encrypted('client_key'),
    maxPerSecond: integer('max_per_second'),
    paused: boolean('paused').notNull().default(false),
    /** When the URL was last resumed. Events that are older are sent one after another. */
    resumedAt: moment('resumed_at'),
    /** True if deliveries to the URL pass through its queue, because it is paused, limited or not drained yet. */
    queued: boolean('queued').notNull().default(false),
    /** The lease of the process that sends the queue, or null. */
    leaseId: uuid('lease_id'),
    /** When the next request may start. Null if the URL has no maximum rate. */
    nextAt: moment('next_at'),
    /** When other URLs were notified that this one fails. Null if it works. */
    failingReportedAt: moment('failing_reported_at'),
    /** The newest resending of failed deliveries: its period, position, limit and progress. */
    resendFrom: moment('resend_from'),
    resendBefore: moment('resend_before'),
    resendAfterId: uuid('resend_after_id'),
    resendPerSecond: integer('resend_per_second'),
    resendTotal: integer('resend_total'),
    resendSent: integer('resend_sent'),
    /** When the next deliveries may be sent again. */
    resendNextAt: moment('resend_next_at'),
    resendEndedAt: moment('resend_ended_at'),
    resendStopped: boolean('resend_stopped').notNull().default(false),
  },
  (table) => [
    uniqueIndex('webhook_urls_of_vault').on(table.vaultId, table.url),
    index('webhook_urls_queued').on(table.id).where(sql`queued AND NOT paused`),
    index('webhook_urls_resending').on(table.id).where(resending).concurrently(),
    index('webhook_urls_failing').on(table.id).where(sql`failing_reported_at IS NOT NULL`),
  ],
)

/** The status of a delivery. A query of columns returns `waiting` as `pending`. */
const logStatus = customType<{ data: LogStatus }>({
  dataType: () => 'text',
  fromDriver: (value) => shownStatus(value as StoredStatus),
})

/** Webhook logs, each for one event and one vault, with the payload, the URLs and the delivery status. */
export const webhookLogs = pgTable(
  'webhook_logs',
  {
    id: uuid('id').primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    topic: text('topic').$type<Topic>().notNull(),
    /** The topic of the event, if the log uses the URLs of its fallback topic. Otherwise null. */
    eventTopic: text('event_topic').$type<Topic>(),
    status: logStatus('status').notNull().default('pending'),
    failReason: text('fail_reason'),
    /** The exact text that is signed and sent. */
    payload: text('payload').notNull(),
    retries: smallint('retries').notNull().default(0),
    /** The number of the round, which each manual retry increases. Each attempt belongs to a round. */
    round: smallint('round').notNull().default(1),
    urlsDestiny: text('urls_destiny').array().notNull(),
    /** The URL in whose queue the log waits or has waited. The log then has no other URLs. Otherwise null. */
    urlId: uuid('url_id'),
    /** The log from which this one was split, because the URL has a queue of its own. Otherwise null. */
    partOf: uuid('part_of'),
    /** The W3C `traceparent` of the span that caused the event, or null. No index contains this column. */
    traceparent: text('traceparent'),
    /** The batch whose workflow delivers the log. Null until a process has claimed the log. */
    batchId: uuid('batch_id'),
    /**
     * The lease of the process that is attempting the delivery, or null. Like `batch_id`, this column is in no index.
     */
    leaseId: uuid('lease_id'),
    /** When the next attempt is due, if it is hours away. Otherwise null. No index contains this column. */
    dueAt: moment('due_at'),
    /** True if `webhook_logs_search` contains the payload. */
    indexed: boolean('indexed').notNull().default(false),
    /** True if personal data was removed from the payload. The responses of receivers are then not stored. */
    erased: boolean('erased').notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    // IDs sort by time.
    index('webhook_logs_newest').on(table.vaultId, table.topic, table.status, table.id.desc().nullsFirst()),
    // Sorted by vault, because claims alternate between vaults, and by round, because a vault's new events come before
    // its retries.
    index('webhook_logs_unfinished_of_vault')
      .on(table.status, table.vaultId, table.round, table.id)
      .where(unfinished),
    // Indexing a payload takes longer than all other writes to a log, so housekeeping indexes it after the delivery.
    index('webhook_logs_search').using('gin', table.payload.op('gin_trgm_ops')).where(sql`indexed`),
    index('webhook_logs_unindexed')
      .on(table.vaultId, table.topic, table.status, table.id)
      .where(sql`NOT indexed AND ${final}`),
    index('webhook_logs_waiting').on(table.urlId, table.id).where(waiting).concurrently(),
  ],
)

/**
 * The place of each log in the feed of its vault. A trigger on `webhook_logs` adds a row in the transaction of the event.
 * The row gets its position after that commit, when the feed is read (src/db/webhooks/event-feed.ts).
 */
export const feedEvents = pgTable(
  'feed_events',
  {
    webhookLogId: uuid('webhook_log_id').primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    /** The topic of the event, even if the log uses the URLs of another topic. */
    topic: text('topic').$type<Topic>().notNull(),
    /** Increases in the order of insertion, in which a vault's waiting events get their positions. */
    ticket: bigserial('ticket', { mode: 'number' }).notNull(),
    position: bigint('position', { mode: 'number' }),
  },
  (table) => [
    // Contains the events without a position, too, in the order in which they get one.
    index('feed_events_position').on(table.vaultId, table.position, table.ticket),
    index('feed_events_topic')
      .on(table.vaultId, table.topic, table.position)
      .where(sql`position IS NOT NULL`),
  ],
)

/** The bounds of each vault's feed. */
export const eventFeeds = pgTable('event_feeds', {
  vaultId: uuid('vault_id').primaryKey(),
  /** The position of the newest event that has one. */
  lastPosition: bigint('last_position', { mode: 'number' }).notNull().default(0),
  /** Events up to this position may be deleted. */
  deletedThrough: bigint('deleted_through', { mode: 'number' }).notNull().default(0),
})

/**
 * The leases of worker processes. While a lease is valid, only its process attempts the logs and the emails that it has
 * claimed.
 */
export const webhookLeases = pgTable('webhook_leases', {
  id: uuid('id').primaryKey(),
  /** When the current uninterrupted period of the lease began. */
  heldSince: moment('held_since').notNull(),
  expiresAt: moment('expires_at').notNull(),
})

/**
 * Changes to the numbers of logs per vault, day, topic and status. Each number is the sum of its `delta` values.
 * Triggers on `webhook_logs` add rows, and housekeeping combines them. In this way, writers do not wait for each other.
 */
export const webhookLogCounts = pgTable(
  'webhook_log_counts',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    vaultId: uuid('vault_id').notNull(),
    topic: text('topic').$type<Topic>().notNull(),
    status: logStatus('status').notNull(),
    /** The UTC day on which the logs were written. */
    day: date('day').notNull(),
    delta: bigint('delta', { mode: 'number' }).notNull(),
    /** True if the row is the sum of earlier rows. */
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

/** Events with the publisher's own IDs. An ID cannot be published again while the log of its event is kept. */
export const publishedEvents = pgTable(
  'published_events',
  {
    vaultId: uuid('vault_id').notNull(),
    eventId: uuid('event_id').notNull(),
    /** The keyed hash of the published event. */
    contentHash: bytea('content_hash').notNull(),
    /** The log of the event, or null if its topic had no URLs. */
    webhookLogId: uuid('webhook_log_id'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.vaultId, table.eventId] }),
    index('published_events_oldest').on(table.createdAt),
  ],
)

/** Delivery attempts, each at one URL. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    // The log of the attempt. This is not a foreign key, because checking it would cost as much as writing the row.
    // Both rows are written and deleted together.
    webhookLogId: uuid('webhook_log_id').notNull(),
    round: smallint('round').notNull(),
    number: smallint('number').notNull(),
    url: text('url').notNull(),
    statusCode: smallint('status_code'),
    error: text('error'),
    durationMs: integer('duration_ms').notNull(),
    /** The first 2 kB of the receiver's response. */
    excerpt: encrypted('excerpt'),
    /** The number of seconds that the receiver asked Gatehouse to wait, at most 3,600. Otherwise null. */
    retryAfter: integer('retry_after'),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.webhookLogId, table.round, table.number, table.url] })],
)

/** Registered URLs that have accepted no delivery since an attempt failed. */
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
