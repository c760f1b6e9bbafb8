/**
 * Queries for the event feed of a vault. An event gets its position after its transaction has committed, from one
 * counter for each vault. A reader that has seen a position has therefore seen all lower ones, whichever transactions
 * are in progress.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Topic } from '../../domain/base/topics.ts'
import type { FeedCursor, FeedPage } from '../../domain/webhook/event-feed.ts'
import { type Database, transaction } from '../connection/database.ts'

/** The number of events that get a position in one transaction, and in one request. */
const PLACED_AT_ONCE = 1_000
const MAX_PLACED = 10_000
/** A page ends with the event whose body reaches this size, in bytes. */
const MAX_PAGE_SIZE = 2_000_000

export interface FeedQuery {
  readonly vaultId: string
  /** Null to begin at the oldest event. */
  readonly after: FeedCursor | null
  readonly topic?: Topic | undefined
  readonly limit: number
}

/** Returns the events after the cursor, or null if the feed no longer contains all of them. */
export async function readEventFeed(db: Database, query: FeedQuery): Promise<FeedPage | null> {
  for (let placed = 0; ; placed += PLACED_AT_ONCE) {
    const read = await readPlacedEvents(db, query)
    if (!read) return null
    if (!read.hasUnplaced || read.page.hasMore) return read.page
    if (placed >= MAX_PLACED) return { ...read.page, hasMore: true }
    await placeEvents(db, query.vaultId)
  }
}

/** The bounds of the feed and one event. The columns of the event are null if the page is empty. */
interface Row extends Record<string, unknown> {
  readonly last: number
  readonly last_log_id: string | null
  readonly deleted_through: number
  readonly log_id_at_cursor: string | null
  readonly has_unplaced: boolean
  readonly position: number | null
  readonly log_id: string
  readonly topic: Topic
  /** Null if the page is full. */
  readonly payload: string | null
  readonly created_at: number
}

async function readPlacedEvents(db: Database, query: FeedQuery) {
  const { vaultId, after, limit } = query
  const rows = await db.orm.execute<Row>(selectPlacedEvents(query))
  const [bounds] = rows
  if (!bounds) throw new Error('the bounds of a feed are one row')
  if (after && isLost(after, bounds)) return null
  const found = rows.filter(({ position }) => position !== null)
  const events = found
    .slice(0, limit)
    .flatMap(({ position, log_id: logId, topic, payload, created_at }) =>
      payload === null
        ? []
        : [{ position: Number(position), logId, topic, payload, createdAt: new Date(created_at) }],
    )
  const hasMore = events.length < found.length
  const end = (hasMore && events.at(-1)) || { position: bounds.last, logId: bounds.last_log_id }
  const cursor = { vaultId, position: end.position, logId: end.logId }
  return { page: { events, cursor, hasMore } satisfies FeedPage, hasUnplaced: bounds.has_unplaced }
}

/**
 * Returns whether events after the cursor were deleted, or the cursor comes from a database that a backup has replaced.
 */
const isLost = ({ position, logId }: FeedCursor, bounds: Row): boolean =>
  position < bounds.deleted_through ||
  position > bounds.last ||
  (bounds.log_id_at_cursor !== null && logId !== bounds.log_id_at_cursor)

/** Selects the bounds and the events in one statement, because housekeeping can delete events between two. */
export const selectPlacedEvents = ({ vaultId, after, topic, limit }: FeedQuery): SQL => sql`
  SELECT coalesce(feed.last_position, 0)::float8 AS last, newest.webhook_log_id AS last_log_id,
    coalesce(feed.deleted_through, 0)::float8 AS deleted_through, seen.webhook_log_id AS log_id_at_cursor,
    EXISTS (SELECT FROM feed_events WHERE vault_id = own.id AND position IS NULL) AS has_unplaced, event.*
  FROM (SELECT ${vaultId}::uuid AS id) AS own
  LEFT JOIN event_feeds AS feed ON feed.vault_id = own.id
  LEFT JOIN feed_events AS newest ON newest.vault_id = own.id AND newest.position = feed.last_position
  LEFT JOIN feed_events AS seen ON seen.vault_id = own.id AND seen.position = ${after?.position ?? 0}::bigint
  LEFT JOIN LATERAL (
    SELECT position::float8, log.id AS log_id, placed.topic,
      CASE WHEN sum(octet_length(payload)) OVER (ORDER BY position) - octet_length(payload) < ${MAX_PAGE_SIZE}
        THEN payload END AS payload,
      floor(extract(epoch FROM created_at) * 1000)::float8 AS created_at
    FROM (
      SELECT position, topic, webhook_log_id FROM feed_events
      WHERE vault_id = own.id AND position > greatest(feed.deleted_through, ${after?.position ?? 0}::bigint)
        ${topic === undefined ? sql`` : sql`AND topic = ${topic}`}
      ORDER BY position LIMIT ${limit + 1}
    ) AS placed
    JOIN webhook_logs AS log ON log.id = placed.webhook_log_id AND log.vault_id = own.id
  ) AS event ON true
  ORDER BY event.position`

/**
 * Assigns positions to committed events of the vault, in the order in which they were inserted. Callers wait for each
 * other at the row of the feed. The next statement of a caller then sees everything that the previous one committed.
 */
export const placeEvents = (db: Database, vaultId: string): Promise<void> =>
  transaction(db, async (tx) => {
    await tx.orm.execute(sql`
      INSERT INTO event_feeds AS feed (vault_id) VALUES (${vaultId})
      ON CONFLICT (vault_id) DO UPDATE SET last_position = feed.last_position`)
    // Skips the events that housekeeping is deleting.
    await tx.orm.execute(sql`
      WITH next AS (
        SELECT webhook_log_id, row_number() OVER (ORDER BY ticket) AS nth FROM (
          SELECT webhook_log_id, ticket FROM feed_events WHERE vault_id = ${vaultId} AND position IS NULL
          ORDER BY ticket LIMIT ${PLACED_AT_ONCE} FOR UPDATE SKIP LOCKED
        ) AS waiting
      ), placed AS (
        UPDATE feed_events SET position = feed.last_position + nth FROM next, event_feeds AS feed
        WHERE feed_events.webhook_log_id = next.webhook_log_id AND feed.vault_id = ${vaultId}
      )
      UPDATE event_feeds SET last_position = last_position + (SELECT count(*) FROM next)
      WHERE vault_id = ${vaultId}`)
  })

/** Returns the newest position of each vault, and whether events wait for a position. */
export async function readFeedEnds(db: Database, vaultIds: readonly string[]) {
  const rows = await db.orm.execute<{ id: string; last: number; has_unplaced: boolean }>(sql`
    SELECT id, coalesce(last_position, 0)::float8 AS last,
      EXISTS (SELECT FROM feed_events WHERE vault_id = id AND position IS NULL) AS has_unplaced
    FROM unnest(${sql.param(vaultIds)}::uuid[]) AS own (id) LEFT JOIN event_feeds ON vault_id = id`)
  return rows.map(({ id, last, has_unplaced }) => ({ vaultId: id, last, hasUnplaced: has_unplaced }))
}

/**
 * Deletes the rows of deleted logs, as two parts of a WITH statement. `logs` is the part that returns the logs' IDs.
 * An event that had no position counts as one, so that a reader who has not seen it does not pass it unnoticed.
 */
export const deleteFromFeed = (logs: SQL): SQL => sql`
  feed_rows AS (
    DELETE FROM feed_events WHERE webhook_log_id IN (SELECT id FROM ${logs}) RETURNING vault_id, position
  ), feed_bounds AS (
    INSERT INTO event_feeds AS feed (vault_id, last_position, deleted_through)
    SELECT vault_id, count(*) FILTER (WHERE position IS NULL),
      greatest(max(position), count(*) FILTER (WHERE position IS NULL))
    FROM feed_rows GROUP BY 1 ORDER BY 1
    ON CONFLICT (vault_id) DO UPDATE SET
      last_position = feed.last_position + excluded.last_position,
      deleted_through = greatest(feed.deleted_through, excluded.deleted_through,
        CASE WHEN excluded.last_position > 0 THEN feed.last_position + excluded.last_position ELSE 0 END)
  )`
