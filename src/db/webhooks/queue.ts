/**
 * Queries for the queues of URLs. Deliveries to a URL that is paused, or that has a maximum rate, wait in its queue, in
 * the order of their events. A log in a queue has only one URL, the status `waiting`, no batch and no lease. One
 * process at a time takes logs from a queue.
 */
import { sql } from 'drizzle-orm'
import { resending, unfinished, waiting } from '../../../drizzle/schema.ts'
import { inBatches } from '../connection/batches.ts'
import { createRowArrays } from '../connection/cached-sql.ts'
import { timeOrNow } from '../connection/clock.ts'
import { type Database, transaction } from '../connection/database.ts'
import { isFreeFor } from './lease.ts'

/** A URL of a log that this process is attempting. */
export interface QueuedUrl {
  readonly id: string
  readonly leaseId: string
  readonly url: string
  readonly urlId: string
}

const WANTED = createRowArrays<QueuedUrl>('wanted', {
  id: 'uuid',
  lease_id: 'uuid',
  url: 'text',
  url_id: 'uuid',
})

/** Returns a new ID that sorts like the log's own ID, so that the parts of logs keep the order of their events. */
const PART_ID = sql.raw(`(left(part.id::text, 26) || right(gen_random_uuid()::text, 10))::uuid`)

/**
 * Moves deliveries to the queues of their URLs. If a log has other URLs, a new log for the URL waits instead. Returns
 * the IDs of the logs that the leases still hold. Locks the URLs, so that their queues do not end meanwhile. The lock
 * prevents neither other moves nor claims.
 */
export async function queueDeliveries(
  db: Database,
  moved: readonly QueuedUrl[],
): Promise<ReadonlySet<string>> {
  const rows = await db.orm.execute<{ id: string }>(sql`
    WITH wanted AS MATERIALIZED (
      SELECT DISTINCT * FROM ${WANTED.of(moved)}
    ), locked AS MATERIALIZED (
      SELECT id, queued FROM webhook_urls WHERE id IN (SELECT url_id FROM wanted) ORDER BY id FOR KEY SHARE
    ), held AS MATERIALIZED (
      SELECT log.*, ARRAY(
        SELECT url FROM unnest(log.urls_destiny) WITH ORDINALITY AS own (url, nth)
        WHERE url NOT IN (SELECT url FROM wanted WHERE wanted.id = log.id) ORDER BY nth) AS rest
      FROM webhook_logs AS log
      WHERE (SELECT count(*) FROM locked) >= 0 AND id IN (SELECT id FROM wanted) AND log.${unfinished}
        AND lease_id IN (SELECT lease_id FROM wanted WHERE wanted.id = log.id)
      ORDER BY id FOR UPDATE
    ), part AS MATERIALIZED (
      SELECT held.*, wanted.url AS own_url, wanted.url_id AS own_url_id,
        rest <> '{}' OR row_number() OVER (PARTITION BY held.id ORDER BY wanted.url) > 1 AS is_split
      FROM held JOIN wanted USING (id) WHERE wanted.url = ANY(held.urls_destiny)
    ), whole AS (
      UPDATE webhook_logs AS log SET status = 'waiting', urls_destiny = ARRAY[own_url], url_id = own_url_id,
        batch_id = NULL, lease_id = NULL, due_at = NULL
      FROM part WHERE log.id = part.id AND NOT is_split
    ), rest AS (
      UPDATE webhook_logs AS log SET urls_destiny = rest FROM held WHERE log.id = held.id AND rest <> '{}'
    ), split AS (
      INSERT INTO webhook_logs (id, vault_id, topic, event_topic, status, payload, urls_destiny, traceparent, url_id,
        part_of, erased, created_at)
      SELECT ${PART_ID}, vault_id, topic, event_topic, 'waiting', payload, ARRAY[own_url], traceparent, own_url_id,
        coalesce(part_of, id), erased, created_at
      FROM part WHERE is_split
    ), marked AS (
      UPDATE webhook_urls SET queued = true
      WHERE id IN (SELECT id FROM locked WHERE NOT queued) AND id IN (SELECT own_url_id FROM part)
    )
    SELECT id FROM held`)
  return new Set(rows.map(({ id }) => id))
}

/** The maximum number of logs that one claim takes from a queue. */
export const MAX_TAKEN = 20
/** A claim takes only logs whose requests may start within this time. */
const AHEAD_SECONDS = 1
/** The time from which a URL is free. A claim reserves at most the next three seconds. */
const SLOT = timeOrNow(sql.raw('next_at'), 3)
/** Exceeds one, so that the requests of a second do not exceed the maximum rate if some start late. */
const SPACING_SLACK = 1.05

export interface TakenLog {
  readonly id: string
  readonly vaultId: string
  readonly batchId: string
  readonly urlId: string
  /** The time until the request may start. */
  readonly dueInMs: number
  /** Whether the next log of the queue waits for the response. */
  readonly isInOrder: boolean
  /** The minimum time between the starts of two requests. 0 if the URL has no maximum rate. */
  readonly spacingMs: number
}

interface QueueClaim {
  readonly batchId: string
  readonly leaseId: string
  /** The maximum number of logs. */
  readonly limit: number
  readonly excludedUrls: readonly string[]
}

const SPACING = sql.raw(`(${SPACING_SLACK} / url.max_per_second)`)

/**
 * Takes the oldest logs of some queues for the batch, in order. Chooses the queues at random, so that many long queues of
 * one vault do not block those of others. Reserves the times of their requests for URLs with a maximum rate. Ends the use
 * of empty queues. A queue that another lease held must be reclaimed first, because some of its logs may have been taken.
 */
export async function takeQueuedLogs(
  db: Database,
  { batchId, leaseId, limit, excludedUrls }: QueueClaim,
): Promise<TakenLog[]> {
  type Row = { [K in keyof TakenLog]: TakenLog[K] | null } & Pick<TakenLog, 'urlId'>
  const rows = await db.orm.execute<Row>(sql`
    WITH open AS MATERIALIZED (
      SELECT url.*, ${SLOT} AS slot
      FROM webhook_urls AS url
      WHERE queued AND NOT paused AND id <> ALL(${sql.param(excludedUrls)}::uuid[])
        AND (lease_id IS NULL OR lease_id = ${leaseId}::uuid)
        AND (max_per_second IS NULL OR ${SLOT} < clock_timestamp() + make_interval(secs => ${AHEAD_SECONDS}))
        AND (${HAS_WAITING} OR (max_per_second IS NULL AND NOT (${resending})))
      ORDER BY random() LIMIT ${Math.floor(limit / MAX_TAKEN)} FOR NO KEY UPDATE SKIP LOCKED
    ), taken AS MATERIALIZED (
      SELECT url.id AS url_id, log.id, url.slot,
        row_number() OVER (PARTITION BY url.id ORDER BY log.id) - 1 AS nth,
        coalesce(log.created_at < url.resumed_at, false) AS is_in_order,
        CASE WHEN url.max_per_second IS NOT NULL THEN ${SPACING} ELSE 0 END AS spacing
      FROM open AS url CROSS JOIN LATERAL (
        SELECT id, created_at FROM webhook_logs WHERE url_id = url.id AND status = 'waiting'
        ORDER BY id LIMIT least(${MAX_TAKEN}, url.max_per_second) FOR UPDATE SKIP LOCKED
      ) AS log
    ), dequeued AS (
      UPDATE webhook_logs AS log SET batch_id = ${batchId}, status = CASE WHEN EXISTS (
        SELECT FROM webhook_attempts WHERE webhook_log_id = log.id AND round = log.round
      ) THEN 'processing' ELSE 'pending' END
      FROM taken WHERE log.id = taken.id
    ), used AS (
      UPDATE webhook_urls AS url SET lease_id = ${leaseId},
        next_at = CASE WHEN url.max_per_second IS NOT NULL
          THEN open.slot + make_interval(secs => ${SPACING} * sum.count) END
      FROM open, (SELECT url_id, count(*) FROM taken GROUP BY url_id) AS sum
      WHERE url.id = open.id AND sum.url_id = open.id
    )
    SELECT taken.id, vault_id AS "vaultId", ${batchId}::text AS "batchId", open.id AS "urlId",
      is_in_order AS "isInOrder", spacing::float8 * 1000 AS "spacingMs",
      (extract(epoch FROM open.slot - clock_timestamp()) + nth * spacing)::float8 * 1000 AS "dueInMs"
    FROM open LEFT JOIN taken ON url_id = open.id ORDER BY open.id, taken.id`)
  const empty = rows.flatMap(({ id, urlId }) => (id === null ? [urlId] : []))
  if (empty.length > 0) await endQueues(db, leaseId, empty)
  return rows.filter((row): row is TakenLog => row.id !== null)
}

/**
 * Ends the use of queues that are empty, unless the URL has a maximum rate. First locks the URLs, so that the second
 * statement sees all deliveries that were moved to their queues. Does not wait, because a change of a URL locks the
 * settings before the URL. The next claim tries again.
 */
const endQueues = (db: Database, leaseId: string, urlIds: readonly string[]): Promise<void> =>
  transaction(db, async (tx) => {
    const locked = await tx.orm.execute<{ id: string }>(sql`
      SELECT url.id FROM webhook_urls AS url JOIN webhook_settings AS settings USING (vault_id)
      WHERE url.id = ANY(${sql.param(urlIds)}::uuid[])
      FOR UPDATE OF url SKIP LOCKED FOR NO KEY UPDATE OF settings SKIP LOCKED`)
    await tx.orm.execute(sql`
      WITH ended AS (
        UPDATE webhook_urls AS url SET lease_id = NULL, queued = false
        WHERE id = ANY(${sql.param(locked.map(({ id }) => id))}::uuid[]) AND NOT paused AND max_per_second IS NULL
          AND (lease_id IS NULL OR lease_id = ${leaseId}::uuid) AND NOT ${HAS_WAITING}
        RETURNING vault_id
      )
      UPDATE webhook_settings SET options_version = options_version + 1
      WHERE vault_id IN (SELECT vault_id FROM ended)`)
  })

const HAS_WAITING = sql.raw(`EXISTS (SELECT FROM webhook_logs WHERE url_id = url.id AND status = 'waiting')`)

/**
 * Returns to their queues the logs that stopped processes had taken, so that the next claim sends them in order. Logs
 * with attempts stay with their batches.
 */
export async function reclaimQueues(db: Database, leaseId: string): Promise<void> {
  await db.orm.execute(sql`
    WITH lost AS MATERIALIZED (
      SELECT id, vault_id, lease_id FROM webhook_urls AS url
      WHERE queued AND lease_id <> ${leaseId}::uuid AND ${isFreeFor(leaseId, sql`url.lease_id`)}
      ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
    ), freed AS (
      UPDATE webhook_urls SET lease_id = NULL WHERE id IN (SELECT id FROM lost)
    )
    UPDATE webhook_logs AS log SET status = 'waiting', batch_id = NULL, lease_id = NULL
    FROM lost
    WHERE log.${unfinished} AND log.vault_id = lost.vault_id AND log.url_id = lost.id
      AND (log.lease_id IS NULL OR log.lease_id = lost.lease_id)
      AND NOT EXISTS (SELECT FROM webhook_attempts WHERE webhook_log_id = log.id AND round = log.round)`)
}

const FAILED = { batchSize: 1_000, statements: 40 }
export const REMOVED = 'the URL is no longer registered'

/** The IDs of the URLs with waiting deliveries. Reads one row for each of them. */
const QUEUES = sql`queue (url_id) AS (
  (SELECT url_id FROM webhook_logs WHERE ${waiting} ORDER BY url_id LIMIT 1)
  UNION ALL
  SELECT (SELECT url_id FROM webhook_logs WHERE ${waiting} AND url_id > queue.url_id ORDER BY url_id LIMIT 1)
  FROM queue WHERE url_id IS NOT NULL
)`

/** Ends the waiting deliveries of URLs that were removed. Returns their number. */
export const failRemovedQueues = (db: Database): Promise<number> =>
  inBatches(FAILED, async (limit) => {
    const { count } = await db.orm.execute(sql`
      WITH RECURSIVE ${QUEUES}, removed AS (
        SELECT url_id FROM queue
        WHERE url_id IS NOT NULL AND NOT EXISTS (SELECT FROM webhook_urls WHERE id = queue.url_id)
      )
      UPDATE webhook_logs SET status = 'failed', fail_reason = ${REMOVED} WHERE id = ANY(ARRAY(
        SELECT id FROM webhook_logs WHERE ${waiting} AND url_id IN (SELECT url_id FROM removed)
        LIMIT ${limit} FOR UPDATE SKIP LOCKED))`)
    return count
  })

/** Lets workers find the queues that earlier versions of Gatehouse ended while a delivery was moved to them. */
export async function reopenQueues(db: Database): Promise<void> {
  await db.orm.execute(sql`
    WITH RECURSIVE ${QUEUES}
    UPDATE webhook_urls SET queued = true WHERE id IN (
      SELECT id FROM webhook_urls WHERE NOT queued AND id IN (SELECT url_id FROM queue)
      FOR NO KEY UPDATE SKIP LOCKED)`)
}
