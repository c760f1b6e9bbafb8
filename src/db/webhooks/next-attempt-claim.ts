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
import { byId } from './attempt.ts'
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

/**
 * The newest attempt of `log` at `urls`. `refused` is true if every URL has refused the delivery and another attempt
 * follows.
 */
const NEWEST_ATTEMPT = sql`
  SELECT number, greatest(${PAUSE_MS}, ${ASKED_MS}) AS pause_ms,
    jsonb_agg(jsonb_build_object('url', url, 'error', error, 'durationMs', duration_ms, 'retryAfter', retry_after)) AS results,
    ${AGE_MS} AS age_ms,
    ${PAUSE_MS} IS NOT NULL AND count(*) = cardinality(urls) AND bool_and(error IS NOT NULL) AS refused
  FROM webhook_attempts
  WHERE webhook_log_id = log.id AND round = log.round AND log.status = 'processing' AND url = ANY(urls)
  GROUP BY number ORDER BY number DESC LIMIT 1`

const WANTED = createRowArrays<WantedLog>('wanted', { id: 'uuid', batch_id: 'uuid' })

/** The URLs of `log` that still get the delivery. Longer retries leave out URLs that are no longer registered. */
const URLS = sql`
  SELECT CASE WHEN log.status = 'processing' AND EXISTS (
    SELECT FROM webhook_attempts WHERE webhook_log_id = log.id AND round = log.round AND number = ${MAX_ATTEMPTS}
  ) THEN ARRAY(
    SELECT url FROM unnest(log.urls_destiny) WITH ORDINALITY AS own (url, nth)
    WHERE ${isRegistered(sql`settings.url_list`, sql`url`)} ORDER BY nth
  ) ELSE log.urls_destiny END AS urls`

/**
 * Claims the logs that are due and that the lease may claim. Ends those without a registered URL. Compares the position
 * of each row (`ctid`), to exclude logs that have changed in the meantime.
 */
export async function claimNextAttempts(db: Database, leaseId: string, wanted: readonly WantedLog[]) {
  const rows = await db.orm.execute<NextAttemptRow & Record<string, unknown>>(sql`
    WITH next_attempts AS MATERIALIZED (
      SELECT log.id AS wanted_id, log.ctid AS place, log.batch_id, long_retries, urls,
        CASE WHEN refused THEN number + 1 ELSE coalesce(number, 1) END AS number,
        CASE WHEN refused THEN '[]' ELSE coalesce(results, '[]') END AS recorded,
        CASE WHEN refused THEN greatest(0, pause_ms - age_ms) ELSE 0 END AS due_in_ms
      FROM ${WANTED.of(wanted.toSorted(byId))}
      JOIN webhook_logs AS log USING (id, batch_id)
      JOIN webhook_settings AS settings ON settings.vault_id = log.vault_id
      CROSS JOIN LATERAL (${URLS}) AS kept
      LEFT JOIN LATERAL (${NEWEST_ATTEMPT}) AS newest ON true
      WHERE log.${unfinished}
    ), claimed AS (
      UPDATE webhook_logs AS log SET lease_id = ${leaseId}, urls_destiny = urls
      FROM next_attempts, webhook_settings AS settings
      WHERE log.id = wanted_id AND log.ctid = place AND urls <> '{}' AND due_in_ms <= ${CLAIM_AHEAD_MS}
        AND settings.vault_id = log.vault_id AND ${isFreeFor(leaseId, sql`log.lease_id`)}
      RETURNING ${CLAIMED_COLUMNS}
    ), ended AS (
      UPDATE webhook_logs AS log SET status = 'failed', fail_reason = ${REMOVED}, due_at = NULL
      FROM next_attempts
      WHERE log.id = wanted_id AND log.ctid = place AND urls = '{}' AND ${isFreeFor(leaseId, sql`log.lease_id`)}
      RETURNING log.id
    )
    SELECT wanted_id AS "wantedId", number, recorded, due_in_ms::float8 AS "dueInMs", ${PAUSE_MS} AS "pauseMs", claimed.*
    FROM next_attempts LEFT JOIN claimed ON claimed.id = wanted_id
    WHERE wanted_id NOT IN (SELECT id FROM ended)`)
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
