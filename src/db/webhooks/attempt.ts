/** Attempts to deliver webhook logs, as they are recorded. */
import { performance } from 'node:perf_hooks'
import { sql } from 'drizzle-orm'
import { unfinished } from '../../../drizzle/schema.ts'
import type { LogStatus } from '../../domain/webhook/events.ts'
import type { Database } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'

/** What one attempt at one URL came to. */
export interface AttemptResult {
  readonly url: string
  readonly statusCode: number | null
  /** Why it was not accepted; null when it was. */
  readonly error: string | null
  readonly durationMs: number
  readonly excerpt: string | null
}

/** A result to be recorded. */
export interface Recording {
  readonly id: string
  /** Where it holds the log no more, nothing is written: another process' attempt took its place. */
  readonly leaseId: string
  readonly round: number
  readonly number: number
  /** Null where all results are recorded, and only the status is missing. */
  readonly result: AttemptResult | null
  /** What follows for the log: `processing` while URLs of this attempt are left, or when it is tried again. */
  readonly status: LogStatus
  readonly failReason: string | null
  /** Until the next attempt, where that is hours away. */
  readonly dueInMs: number | null
  /** Whether it is the attempt's last: then nobody holds the log any more. */
  readonly isLast: boolean
  /** By the monotonic clock of this process: it may have to wait before it can be recorded. */
  readonly at: number
}

/**
 * Records results and what follows from them in one statement. A log's results come in order. A URL that begins to
 * fail, or that accepts again, costs a row; one that goes on as it did costs a look. What receivers answer to what
 * is erased by then is not kept.
 */
export async function recordAttempts(db: Database, recordings: readonly Recording[]): Promise<void> {
  const results = recordings.flatMap(({ result, ...each }) => (result ? [{ ...each, ...result }] : []))
  const logs = [...new Map(recordings.map((each) => [each.id, each])).values()]
  const now = performance.now()
  const list = <T>(rows: readonly T[], value: (row: T) => unknown) => sql.param(rows.map(value))
  await db.orm.execute(sql`
    WITH held AS (
      UPDATE webhook_logs AS log SET status = new.status, retries = new.number - 1,
        fail_reason = CASE WHEN NOT log.erased THEN new.fail_reason END,
        due_at = clock_timestamp() + make_interval(secs => new.due_in_ms / 1000),
        lease_id = CASE WHEN new.is_last THEN NULL ELSE log.lease_id END
      FROM unnest(
        ${list(logs, ({ id }) => id)}::uuid[], ${list(logs, ({ leaseId }) => leaseId)}::uuid[],
        ${list(logs, ({ round }) => round)}::smallint[], ${list(logs, ({ number }) => number)}::smallint[],
        ${list(logs, ({ status }) => status)}::text[], ${list(logs, ({ failReason }) => failReason)}::text[],
        ${list(logs, ({ dueInMs }) => dueInMs)}::float8[],
        ${list(logs, ({ isLast }) => isLast)}::boolean[]
      ) AS new (id, lease_id, round, number, status, fail_reason, due_in_ms, is_last)
      WHERE log.id = new.id AND log.lease_id = new.lease_id AND log.round = new.round AND log.${unfinished}
      RETURNING log.id, log.vault_id, log.topic, log.erased
    ), results AS MATERIALIZED (
      SELECT result.*, held.vault_id, held.topic, held.erased, clock_timestamp() - make_interval(secs => age_seconds) AS at
      FROM unnest(
      ${list(results, ({ id }) => id)}::uuid[], ${list(results, ({ round }) => round)}::smallint[],
      ${list(results, ({ number }) => number)}::smallint[], ${list(results, ({ url }) => url)}::text[],
      ${list(results, ({ statusCode }) => statusCode)}::smallint[],
      ${list(results, ({ error }) => error)}::text[],
      ${list(results, ({ durationMs }) => durationMs)}::integer[],
      ${list(results, ({ id, excerpt }) => sealExcerpt(db, id, excerpt))}::bytea[],
      ${list(results, ({ at }) => (now - at) / 1_000)}::float8[]
      ) AS result (id, round, number, url, status_code, error, duration_ms, excerpt, age_seconds)
      JOIN held ON held.id = result.id
    ), recorded AS (
      INSERT INTO webhook_attempts
        (webhook_log_id, round, number, url, status_code, error, duration_ms, excerpt, created_at)
      SELECT id, round, number, url, status_code, error, duration_ms, CASE WHEN NOT erased THEN excerpt END, at
      FROM results
      ON CONFLICT DO NOTHING
    ), newest AS MATERIALIZED (
      SELECT DISTINCT ON (vault_id, topic, url) vault_id, topic, url, at, error IS NULL AS accepted
      FROM results ORDER BY vault_id, topic, url, at DESC
    ), accepting AS (
      DELETE FROM webhook_failing_urls AS failing USING newest
      WHERE accepted AND (failing.vault_id, failing.topic, failing.url) = (newest.vault_id, newest.topic, newest.url)
    )
    INSERT INTO webhook_failing_urls (vault_id, topic, url, failing_since)
    SELECT vault_id, topic, url, at FROM newest
    WHERE NOT accepted
      AND NOT EXISTS (
        SELECT FROM webhook_failing_urls AS failing
        WHERE (failing.vault_id, failing.topic, failing.url) = (newest.vault_id, newest.topic, newest.url))
      AND EXISTS (
        SELECT FROM webhook_settings AS settings
        WHERE settings.vault_id = newest.vault_id AND jsonb_exists(settings.url_list -> newest.topic, newest.url))
    ORDER BY vault_id, topic, url
    ON CONFLICT DO NOTHING`)
}

export interface Release {
  readonly id: string
  readonly leaseId: string
  /** Whether its host is slow: then it shows that it is under way. */
  readonly isSlow: boolean
}

/** Of attempts that were not made to the end, so that another process may go on. */
export async function releaseLogs(db: Database, releases: readonly Release[]): Promise<void> {
  const list = (value: (release: Release) => unknown) => sql.param(releases.map(value))
  await db.orm.execute(sql`
    UPDATE webhook_logs AS log SET lease_id = NULL,
      status = CASE WHEN is_slow THEN 'processing' ELSE status END
    FROM unnest(${list(({ id }) => id)}::uuid[], ${list(({ leaseId }) => leaseId)}::uuid[],
      ${list(({ isSlow }) => isSlow)}::boolean[]) AS released (id, lease_id, is_slow)
    WHERE log.id = released.id AND log.lease_id = released.lease_id AND log.${unfinished}`)
}

/** Receivers answer what they like, also with the data that they were told of. */
const sealExcerpt = (db: Database, logId: string, excerpt: string | null): Buffer | null =>
  excerpt === null ? null : db.encryption.seal(excerpt, sealedFor('webhook_attempts.excerpt', logId))

/** For logs whose first attempt takes noticeable time. One whose result is being recorded needs no mark. */
export async function markProcessing(db: Database, batchId: string, ids: readonly string[]): Promise<void> {
  await db.orm.execute(sql`
    UPDATE webhook_logs SET status = 'processing' WHERE id = ANY(ARRAY(
      SELECT id FROM webhook_logs
      WHERE id = ANY(${sql.param(ids)}::uuid[]) AND batch_id = ${batchId} AND status = 'pending'
      FOR UPDATE SKIP LOCKED))`)
}
