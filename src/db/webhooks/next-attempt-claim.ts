/**
 * Queries that claim the next attempts of logs in a batch. The rows determine the next attempt. If results of the
 * newest recorded attempt are missing, that attempt is next. Otherwise, the following attempt is next, one pause after
 * the start of the newest one.
 */
import { sql } from 'drizzle-orm'
import { unfinished } from '../../../drizzle/schema.ts'
import { JITTER, LONG_PAUSES_MS, MAX_ATTEMPTS, SPACING_MS } from '../../domain/webhook/delivery-schedule.ts'
import { createRowArrays } from '../connection/cached-sql.ts'
import { msSince } from '../connection/clock.ts'
import type { Database } from '../connection/database.ts'
import { CLAIMED_COLUMNS, type ClaimedAttempt, type ClaimedRow, createRowReader } from './claimed-attempt.ts'
import { isFreeFor } from './lease.ts'
import { REMOVED } from './queue.ts'
import { isRegistered } from './url.ts'

/** A claim includes attempts that become due within this time. The process makes them when they are due. */
export const CLAIM_AHEAD_MS = 1_200

export interface WantedLog {
  readonly id: string
  readonly batchId: string
}

/** The result for one wanted log. */
export type NextAttempt =
  | { readonly is: 'claimed'; readonly attempt: ClaimedAttempt }
  /** No URL has accepted the event, and the next attempt is not due yet. */
  | { readonly is: 'not_due'; readonly dueInMs: number }
  /** Another process has a lease on the log. */
  | { readonly is: 'held' }
  /** The log's status is final, or the log belongs to another batch. */
  | { readonly is: 'ended' }

type NextAttemptRow = Partial<ClaimedRow> &
  Pick<ClaimedAttempt, 'number' | 'recorded' | 'dueInMs' | 'pauseMs'> & { readonly wantedId: string }

/**
 * The pause after the attempt `number`, or null after the last attempt. All logs of a batch get the same jitter, so
 * that they stay together.
 */
const PAUSE_MS = sql`CASE
  WHEN number < ${MAX_ATTEMPTS} THEN ${SPACING_MS}::float8
  WHEN long_retries THEN (${sql.param(LONG_PAUSES_MS)}::float8[])[number - ${MAX_ATTEMPTS - 1}]
    * (1 + ${JITTER}::float8 * ('x' || right(batch_id::text, 7))::bit(28)::integer / ${2 ** 28}::float8) END`

/** The pause that `Retry-After` requests, within the specified schedule (`pauseUntilNext`). */
const ASKED_MS = sql`least((${MAX_ATTEMPTS} - number) * ${SPACING_MS}::float8, coalesce(max(duration_ms + retry_after * 1000), 0))`

/** The time since the newest attempt began. */
const AGE_MS = msSince(sql.raw(`max(created_at - duration_ms * interval '1 millisecond')`))

/** The newest attempt of `log`. `refused` is true if every URL has refused the delivery and another attempt follows. */
const NEWEST_ATTEMPT = sql`
  SELECT number, greatest(${PAUSE_MS}, ${ASKED_MS}) AS pause_ms,
    jsonb_agg(jsonb_build_object('url', url, 'error', error, 'durationMs', duration_ms, 'retryAfter', retry_after)) AS results,
    ${AGE_MS} AS age_ms,
    ${PAUSE_MS} IS NOT NULL AND count(*) = cardinality(log.urls_destiny) AND bool_and(error IS NOT NULL) AS refused
  FROM webhook_attempts
  WHERE webhook_log_id = log.id AND round = log.round AND log.status = 'processing' AND url = ANY(log.urls_destiny)
  GROUP BY number ORDER BY number DESC LIMIT 1`

const WANTED = createRowArrays<WantedLog>('wanted', { id: 'uuid', batch_id: 'uuid' })

/** The URLs of `log` that are still registered, in their order. */
const REGISTERED = sql`ARRAY(
  SELECT url FROM unnest(log.urls_destiny) WITH ORDINALITY AS url (url, nth)
  WHERE ${isRegistered(sql`settings.url_list`, sql`url`)} ORDER BY nth)`

/** Removes URLs that are no longer registered from logs that wait for a longer retry. Ends logs without other URLs. */
const leaveRemovedUrls = (db: Database, leaseId: string, wanted: readonly WantedLog[]) =>
  db.orm.execute(sql`
    UPDATE webhook_logs AS log SET
      urls_destiny = CASE WHEN urls = '{}' THEN urls_destiny ELSE urls END,
      status = CASE WHEN urls = '{}' THEN 'failed' ELSE status END,
      fail_reason = CASE WHEN urls = '{}' THEN ${REMOVED} ELSE fail_reason END,
      due_at = CASE WHEN urls = '{}' THEN NULL ELSE due_at END
    FROM (
      SELECT log.id, ${REGISTERED} AS urls
      FROM ${WANTED.of(wanted)}
      JOIN webhook_logs AS log USING (id, batch_id)
      JOIN webhook_settings AS settings ON settings.vault_id = log.vault_id
      WHERE log.status = 'processing' AND ${isFreeFor(leaseId, sql`log.lease_id`)}
        AND EXISTS (
          SELECT FROM webhook_attempts
          WHERE webhook_log_id = log.id AND round = log.round AND number = ${MAX_ATTEMPTS})
      ORDER BY log.id FOR UPDATE OF log SKIP LOCKED
    ) AS left_over
    WHERE log.id = left_over.id AND cardinality(urls) < cardinality(urls_destiny)`)

/**
 * Claims the logs that are due and that the lease may claim. Compares the position of each row (`ctid`), to exclude
 * logs that have changed in the meantime.
 */
export async function claimNextAttempts(db: Database, leaseId: string, wanted: readonly WantedLog[]) {
  await leaveRemovedUrls(db, leaseId, wanted)
  const rows = await db.orm.execute<NextAttemptRow & Record<string, unknown>>(sql`
    WITH next_attempts AS MATERIALIZED (
      SELECT log.id AS wanted_id, log.ctid AS place, log.batch_id, long_retries,
        CASE WHEN refused THEN number + 1 ELSE coalesce(number, 1) END AS number,
        CASE WHEN refused THEN '[]' ELSE coalesce(results, '[]') END AS recorded,
        CASE WHEN refused THEN greatest(0, pause_ms - age_ms) ELSE 0 END AS due_in_ms
      FROM ${WANTED.of(wanted)}
      JOIN webhook_logs AS log USING (id, batch_id)
      JOIN webhook_settings AS settings ON settings.vault_id = log.vault_id
      LEFT JOIN LATERAL (${NEWEST_ATTEMPT}) AS newest ON true
      WHERE log.${unfinished}
    ), claimed AS (
      UPDATE webhook_logs AS log SET lease_id = ${leaseId}
      FROM next_attempts, webhook_settings AS settings
      WHERE log.id = wanted_id AND log.ctid = place AND due_in_ms <= ${CLAIM_AHEAD_MS}
        AND settings.vault_id = log.vault_id AND ${isFreeFor(leaseId, sql`log.lease_id`)}
      RETURNING ${CLAIMED_COLUMNS}
    )
    SELECT wanted_id AS "wantedId", number, recorded, due_in_ms::float8 AS "dueInMs", ${PAUSE_MS} AS "pauseMs", claimed.*
    FROM next_attempts LEFT JOIN claimed ON claimed.id = wanted_id`)
  const read = createRowReader(db)
  const found = new Map(rows.map((row) => [row.wantedId, row]))
  return wanted.map(({ id }): NextAttempt => {
    const row = found.get(id)
    if (!row) return { is: 'ended' }
    const { number, recorded, dueInMs, pauseMs } = row
    if (row.id)
      return { is: 'claimed', attempt: read(row as ClaimedRow, { number, recorded, dueInMs, pauseMs }) }
    return dueInMs > CLAIM_AHEAD_MS ? { is: 'not_due', dueInMs } : { is: 'held' }
  })
}
