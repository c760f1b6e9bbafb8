/** Attempts to deliver webhook logs: what was already tried, and what came of the newest attempts. */
import { and, desc, eq, sql } from 'drizzle-orm'
import { unfinished, webhookAttempts, webhookLogs, webhookSettings } from '../../drizzle/schema.ts'
import type { LogStatus } from '../domain/events.ts'
import { isAnyOf } from './any-of.ts'
import type { Database } from './database.ts'
import { sealedFor } from './sealed.ts'
import { secretColumns, secretsInForce } from './webhook-setting.ts'

/** What one attempt at one URL came to. */
export interface AttemptResult {
  readonly url: string
  readonly statusCode: number | null
  /** Why it was not accepted; null when it was. */
  readonly error: string | null
  readonly durationMs: number
  readonly excerpt: string | null
}

export interface Delivery {
  readonly id: string
  readonly round: number
  readonly payload: string
  readonly urls: readonly string[]
  /** Those in force, newest first. */
  readonly secrets: readonly string[]
  /** Which attempt of the round comes now: the newest one while something of it is left, else the next. */
  readonly number: number
  /** What is recorded of this attempt already: its URLs are not tried again. */
  readonly recorded: readonly Pick<AttemptResult, 'url' | 'error'>[]
  /** Since the attempt before this one; null before the first. */
  readonly waitedSeconds: number | null
}

/** Specification, "Acknowledgement and retries": up to three more attempts. */
export const MAX_ATTEMPTS = 4

/** What the next attempts need of those of the batch's logs whose state is not final. */
export async function readDeliveries(
  db: Database,
  batchId: string,
  ids: readonly string[],
): Promise<Delivery[]> {
  const logs = await db.orm
    .select({
      log: {
        id: webhookLogs.id,
        vaultId: webhookLogs.vaultId,
        round: webhookLogs.round,
        status: webhookLogs.status,
        payload: webhookLogs.payload,
        urls: webhookLogs.urlsDestiny,
      },
      settings: secretColumns,
    })
    .from(webhookLogs)
    .innerJoin(webhookSettings, eq(webhookSettings.vaultId, webhookLogs.vaultId))
    .where(
      and(
        sql`${webhookLogs.id} = ANY(${sql.placeholder('ids')}::uuid[])`,
        sql`${webhookLogs.batchId} = ${sql.placeholder('batchId')}::uuid`,
        unfinished,
      ),
    )
    .prepare('read_deliveries')
    .execute({ ids, batchId })
  // The first recorded result makes a log `processing`: a pending one has none.
  const begun = logs.filter(({ log }) => log.status === 'processing').map(({ log }) => log.id)
  const newest = await newestAttempts(db, begun)
  const secretsOf = new Map<string, string[]>()
  const now = new Date()
  return logs.map(({ log, settings }): Delivery => {
    const secrets = secretsOf.get(log.vaultId) ?? secretsInForce(db, settings, now)
    secretsOf.set(log.vaultId, secrets)
    const { id, round, payload, urls } = log
    const last = newest.get(id)
    const delivery = { id, round, payload, urls, secrets }
    if (!last) return { ...delivery, number: 1, recorded: [], waitedSeconds: null }
    const { number, results, ageSeconds: waitedSeconds } = last
    const refused = results.length === urls.length && results.every(({ error }) => error !== null)
    return !refused || number >= MAX_ATTEMPTS
      ? { ...delivery, number, recorded: results, waitedSeconds: null }
      : { ...delivery, number: number + 1, recorded: [], waitedSeconds }
  })
}

interface NewestAttempt {
  readonly number: number
  readonly results: Pick<AttemptResult, 'url' | 'error'>[]
  /** By the clock that wrote it: those of two machines differ. */
  readonly ageSeconds: number
}

/** The newest attempt of the present round of each log. */
async function newestAttempts(db: Database, ids: readonly string[]): Promise<Map<string, NewestAttempt>> {
  if (ids.length === 0) return new Map()
  const rows = await db.orm
    .select({
      id: webhookAttempts.webhookLogId,
      number: webhookAttempts.number,
      url: webhookAttempts.url,
      error: webhookAttempts.error,
      ageSeconds: sql<number>`extract(epoch from clock_timestamp() - ${webhookAttempts.createdAt})::float8`,
    })
    .from(webhookAttempts)
    .innerJoin(
      webhookLogs,
      and(eq(webhookLogs.id, webhookAttempts.webhookLogId), eq(webhookLogs.round, webhookAttempts.round)),
    )
    .where(isAnyOf(webhookAttempts.webhookLogId, ids))
    .orderBy(webhookAttempts.webhookLogId, desc(webhookAttempts.number), desc(webhookAttempts.createdAt))
  const newest = new Map<string, NewestAttempt>()
  for (const { id, number, ageSeconds, ...result } of rows) {
    const known = newest.get(id)
    if (!known) newest.set(id, { number, ageSeconds, results: [result] })
    else if (known.number === number) known.results.push(result)
  }
  return newest
}

/** A result to be recorded. */
export interface Recording {
  readonly delivery: Pick<Delivery, 'id' | 'round' | 'number'>
  /** Null where all results are recorded, and only the status is missing. */
  readonly result: AttemptResult | null
  /** What follows for the log: `processing` while URLs of this attempt are left, or when it is tried again. */
  readonly status: LogStatus
  readonly failReason: string | null
}

/** Records results and what follows from them in one statement. A log's results come in order. */
export async function recordAttempts(db: Database, recordings: readonly Recording[]): Promise<void> {
  const attempts = recordings.flatMap(({ delivery, result }) => (result ? [{ ...delivery, ...result }] : []))
  const logs = [...new Map(recordings.map((each) => [each.delivery.id, each])).values()]
  const list = <T>(rows: readonly T[], value: (row: T) => unknown) => sql.param(rows.map(value))
  await db.orm.execute(sql`
    WITH attempts AS (
      INSERT INTO webhook_attempts
        (webhook_log_id, round, number, url, status_code, error, duration_ms, excerpt)
      SELECT * FROM unnest(
        ${list(attempts, ({ id }) => id)}::uuid[], ${list(attempts, ({ round }) => round)}::smallint[],
        ${list(attempts, ({ number }) => number)}::smallint[], ${list(attempts, ({ url }) => url)}::text[],
        ${list(attempts, ({ statusCode }) => statusCode)}::smallint[],
        ${list(attempts, ({ error }) => error)}::text[],
        ${list(attempts, ({ durationMs }) => durationMs)}::integer[],
        ${list(attempts, ({ id, excerpt }) => sealExcerpt(db, id, excerpt))}::bytea[])
      ON CONFLICT DO NOTHING
    )
    UPDATE webhook_logs SET status = new.status, retries = new.number - 1, fail_reason = new.fail_reason
    FROM unnest(
      ${list(logs, ({ delivery }) => delivery.id)}::uuid[],
      ${list(logs, ({ delivery }) => delivery.round)}::smallint[],
      ${list(logs, ({ delivery }) => delivery.number)}::smallint[],
      ${list(logs, ({ status }) => status)}::text[], ${list(logs, ({ failReason }) => failReason)}::text[]
    ) AS new (id, round, number, status, fail_reason)
    WHERE webhook_logs.id = new.id AND webhook_logs.round = new.round
      AND webhook_logs.${unfinished}`)
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
