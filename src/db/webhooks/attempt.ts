/** Queries that record the results of attempts, and the resulting states of the webhook logs. */
import { performance } from 'node:perf_hooks'
import { sql } from 'drizzle-orm'
import { unfinished } from '../../../drizzle/schema.ts'
import type { LogStatus } from '../../domain/webhook/events.ts'
import type { WebhookAttempt } from '../../domain/webhook/log.ts'
import { cacheSql, createRowArrays } from '../connection/cached-sql.ts'
import type { Database } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'

export interface AttemptResult
  extends Pick<WebhookAttempt, 'url' | 'statusCode' | 'error' | 'durationMs' | 'excerpt'> {
  /** The seconds that the receiver asked Gatehouse to wait, or null. */
  readonly retryAfter: number | null
}

/** A result to record, with the resulting state of its log. */
export interface Recording {
  readonly id: string
  /**
   * The lease under which the attempt was made. If the log has another lease, nothing is recorded, because another
   * process then makes this attempt.
   */
  readonly leaseId: string
  readonly round: number
  readonly number: number
  /** The result, or null if all results are recorded and only the status is missing. */
  readonly result: AttemptResult | null
  /** The new status, which is `processing` if this attempt has URLs left or another attempt follows. */
  readonly status: LogStatus
  readonly failReason: string | null
  /** The time until the next attempt if it is hours away, otherwise null. */
  readonly dueInMs: number | null
  /** Whether this is the attempt's last result, which releases the log from the lease. */
  readonly isLast: boolean
  /** When the result arrived, by the monotonic clock of this process. The result may wait before it is recorded. */
  readonly at: number
}

/** Sorts logs, because statements that lock the same logs in different orders block each other. */
export const byId = (one: { readonly id: string }, other: { readonly id: string }): number =>
  one.id < other.id ? -1 : 1

/**
 * Records results and their consequences in one statement. The results of each log must be in order. Excerpts of
 * responses are not stored for erased logs.
 */
export async function recordAttempts(db: Database, recordings: readonly Recording[]): Promise<void> {
  // The last recording of a log contains its state.
  const logs = [...new Map(recordings.map((each) => [each.id, each])).values()].sort(byId)
  const now = performance.now()
  const results = recordings.flatMap(({ result, at, ...each }) =>
    result
      ? [
          {
            ...each,
            ...result,
            excerpt: sealExcerpt(db, each.id, result.excerpt),
            ageSeconds: (now - at) / 1_000,
          },
        ]
      : [],
  )
  await record(db, { ...LOGS.values(logs), ...RESULTS.values(results) })
}

const LOGS = createRowArrays<Recording>('new', {
  id: 'uuid',
  lease_id: 'uuid',
  round: 'smallint',
  number: 'smallint',
  status: 'text',
  fail_reason: 'text',
  due_in_ms: 'float8',
  is_last: 'boolean',
})

type Result = Pick<Recording, 'id' | 'round' | 'number'> &
  Omit<AttemptResult, 'excerpt'> & { readonly excerpt: Buffer | null; readonly ageSeconds: number }

const RESULTS = createRowArrays<Result>('result', {
  id: 'uuid',
  round: 'smallint',
  number: 'smallint',
  url: 'text',
  status_code: 'smallint',
  error: 'text',
  duration_ms: 'integer',
  excerpt: 'bytea',
  retry_after: 'integer',
  age_seconds: 'float8',
})

/** Updates logs. Does not update logs that another lease holds. */
const UPDATE_HELD_LOGS = sql`
  UPDATE webhook_logs AS log SET status = new.status, retries = new.number - 1,
    fail_reason = CASE WHEN NOT log.erased THEN new.fail_reason END,
    due_at = clock_timestamp() + make_interval(secs => new.due_in_ms / 1000),
    lease_id = CASE WHEN new.is_last THEN NULL ELSE log.lease_id END
  FROM ${LOGS.from}
  WHERE log.id = new.id AND log.lease_id = new.lease_id AND log.round = new.round AND log.${unfinished}
  RETURNING log.id, log.vault_id, log.topic, log.erased`

/** Encrypts an excerpt, because the receiver's response may repeat personal data from the event. */
const sealExcerpt = (db: Database, logId: string, excerpt: string | null): Buffer | null =>
  excerpt === null ? null : db.encryption.seal(excerpt, sealedFor('webhook_attempts.excerpt', logId))

const DELETE_ACCEPTING_URLS = sql`
  DELETE FROM webhook_failing_urls AS failing USING newest
  WHERE accepted AND (failing.vault_id, failing.topic, failing.url) = (newest.vault_id, newest.topic, newest.url)`

/** Inserts a row when a registered URL begins to fail. While the URL continues to fail, this only reads its row. */
const INSERT_FAILING_URLS = sql`
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
  ON CONFLICT DO NOTHING`

const record = cacheSql(sql`
  WITH held AS (${UPDATE_HELD_LOGS}),
  results AS MATERIALIZED (
    SELECT result.*, held.vault_id, held.topic, held.erased, clock_timestamp() - make_interval(secs => age_seconds) AS at
    FROM ${RESULTS.from} JOIN held ON held.id = result.id
  ), recorded AS (
    INSERT INTO webhook_attempts
      (webhook_log_id, round, number, url, status_code, error, duration_ms, excerpt, retry_after, created_at)
    SELECT id, round, number, url, status_code, error, duration_ms, CASE WHEN NOT erased THEN excerpt END,
      retry_after, at
    FROM results
    ON CONFLICT DO NOTHING
  ), newest AS MATERIALIZED (
    SELECT DISTINCT ON (vault_id, topic, url) vault_id, topic, url, at, error IS NULL AS accepted
    FROM results ORDER BY vault_id, topic, url, at DESC
  ), accepting AS (${DELETE_ACCEPTING_URLS})
  ${INSERT_FAILING_URLS}`)

export interface Release {
  readonly id: string
  readonly leaseId: string
  /** Whether the host of a URL is slow. If so, the log shows that its delivery is in progress. */
  readonly isSlow: boolean
}

const RELEASED = createRowArrays<Release>('released', { id: 'uuid', lease_id: 'uuid', is_slow: 'boolean' })

/** Releases logs whose attempts were not completed, so that any process can continue them. */
export async function releaseLogs(db: Database, releases: readonly Release[]): Promise<void> {
  await db.orm.execute(sql`
    UPDATE webhook_logs AS log SET lease_id = NULL,
      status = CASE WHEN is_slow THEN 'processing' ELSE status END
    FROM ${RELEASED.of(releases.toSorted(byId))}
    WHERE log.id = released.id AND log.lease_id = released.lease_id AND log.${unfinished}`)
}

/**
 * Marks logs as in progress if their first attempt takes noticeably long. Skips locked logs, because their results are
 * being recorded.
 */
export async function markProcessing(db: Database, batchId: string, ids: readonly string[]): Promise<void> {
  await db.orm.execute(sql`
    UPDATE webhook_logs SET status = 'processing' WHERE id = ANY(ARRAY(
      SELECT id FROM webhook_logs
      WHERE id = ANY(${sql.param(ids)}::uuid[]) AND batch_id = ${batchId} AND status = 'pending'
      FOR UPDATE SKIP LOCKED))`)
}
