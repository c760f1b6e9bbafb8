/**
 * Queries that send all failed deliveries of a URL again. The row of the URL holds the position and the progress, so
 * that any process continues. Each step moves some deliveries to the queue of the URL.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { resending, webhookUrls } from '../../../drizzle/schema.ts'
import { TOPICS } from '../../domain/base/topics.ts'
import type { Resend } from '../../domain/webhook/resend.ts'
import type { WebhookUrl } from '../../domain/webhook/url.ts'
import { timeOrNow } from '../connection/clock.ts'
import { type Database, transaction } from '../connection/database.ts'
import { lowestIdAt } from '../connection/id-time.ts'

type Row = typeof webhookUrls.$inferSelect

/** The maximum number of deliveries that the total counts. */
const MAX_COUNTED = 100_000
/** The maximum number of URLs in one step. */
const MAX_URLS = 10
const STEP_MS = 1_000
const NEXT_STEP = timeOrNow(sql.raw('resend_next_at'), STEP_MS / 1_000)

export async function readResend(db: Database, urlId: string): Promise<Resend> {
  const [row] = await db.orm.select().from(webhookUrls).where(eq(webhookUrls.id, urlId))
  return resendOf(row)
}

function resendOf(row: Row | undefined): Resend {
  const { resendFrom = null, resendPerSecond = null, resendTotal = null, resendSent = null } = row ?? {}
  const ended = row?.resendStopped ? 'stopped' : 'finished'
  return {
    status: resendTotal === null ? 'none' : row?.resendEndedAt ? ended : 'running',
    since: resendFrom,
    perSecond: resendPerSecond,
    total: resendTotal ?? 0,
    sent: resendSent ?? 0,
  }
}

/** Starts a resending. Returns null if one is running. */
export const startResend = (
  tx: Database,
  { id, vaultId, url }: Pick<WebhookUrl, 'id' | 'vaultId' | 'url'>,
  { since, perSecond }: { since: Date; perSecond: number },
): Promise<Resend | null> =>
  transaction(tx, async (tx) => {
    const until = new Date()
    const period = { vaultId, url, after: lowestIdAt(since), before: lowestIdAt(until) }
    const [counted] = await tx.orm.execute<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM (${failedLogs(period, MAX_COUNTED)}) AS failed`,
    )
    const total = counted?.count ?? 0
    const values = {
      resendFrom: since,
      resendBefore: until,
      resendAfterId: period.after,
      resendPerSecond: perSecond,
      resendTotal: total,
      resendSent: 0,
      resendNextAt: null,
      resendEndedAt: total === 0 ? until : null,
      resendStopped: false,
    }
    const [row] = await tx.orm
      .insert(webhookUrls)
      .values({ id, vaultId, url, ...values })
      .onConflictDoUpdate({ target: webhookUrls.id, set: values, setWhere: sql`NOT (${IS_RUNNING})` })
      .returning()
    return row ? resendOf(row) : null
  })

const IS_RUNNING = sql.raw('webhook_urls.resend_total IS NOT NULL AND webhook_urls.resend_ended_at IS NULL')

/** Stops the resending that is running, if there is one. Deliveries in the queue are still sent. */
export async function stopResend(tx: Database, urlId: string): Promise<boolean> {
  const stopped = await tx.orm
    .update(webhookUrls)
    .set({ resendEndedAt: sql`clock_timestamp()`, resendStopped: true })
    .where(and(eq(webhookUrls.id, urlId), IS_RUNNING))
    .returning({ id: webhookUrls.id })
  return stopped.length > 0
}

/** Selects the deliveries that the URL did not accept in their newest round, oldest first. */
function failedLogs(
  { vaultId, url, after, before }: { vaultId: string; url: string; after: string; before: string },
  limit: number,
): SQL {
  const each = TOPICS.flatMap((topic) =>
    ['failed', 'partial'].map(
      (status) => sql`(SELECT id FROM webhook_logs AS log
        WHERE vault_id = ${vaultId} AND topic = ${topic} AND status = ${status}
          AND id > ${after}::uuid AND id < ${before}::uuid AND ${url}::text = ANY(urls_destiny) AND NOT EXISTS (
            SELECT FROM webhook_attempts
            WHERE webhook_log_id = log.id AND round = log.round AND url = ${url} AND error IS NULL)
        ORDER BY id LIMIT ${limit})`,
    ),
  )
  return sql`SELECT id FROM (${sql.join(each, sql` UNION ALL `)}) AS failed ORDER BY id LIMIT ${limit}`
}

/**
 * Moves the next deliveries of each resending to the queue of its URL, at most as many as may be sent in a second.
 * Returns the time until the next step, or null if no resending is running.
 */
export async function continueResends(db: Database): Promise<number | null> {
  const [next] = await db.orm.execute<{ in_ms: number | null }>(sql`
    SELECT (extract(epoch FROM min(${NEXT_STEP}) - clock_timestamp()) * 1000)::float8 AS in_ms
    FROM webhook_urls WHERE ${resending} AND NOT paused`)
  const inMs = next?.in_ms ?? null
  if (inMs === null || inMs > 0) return inMs
  await transaction(db, async (tx) => {
    const rows = await tx.orm
      .select()
      .from(webhookUrls)
      .where(and(resending, IS_DUE))
      // Those of one vault must not come first each time.
      .orderBy(sql`${webhookUrls.resendNextAt} NULLS FIRST`)
      .limit(MAX_URLS)
      .for('no key update', { skipLocked: true })
    for (const row of rows) await continueResend(tx, row)
  })
  return STEP_MS
}

/** Matches URLs whose next step is due, and whose queue is empty. */
const IS_DUE = sql`NOT paused AND ${NEXT_STEP} <= clock_timestamp()
  AND NOT EXISTS (SELECT FROM webhook_logs WHERE url_id = webhook_urls.id AND status IN ('waiting'))`

async function continueResend(tx: Database, row: Row): Promise<void> {
  const { id, vaultId, url, resendAfterId, resendBefore, resendPerSecond } = row
  const perSecond = resendPerSecond ?? 1
  const period = { vaultId, url, after: resendAfterId ?? '', before: lowestIdAt(resendBefore ?? new Date()) }
  const found = await tx.orm.execute<{ id: string }>(failedLogs(period, perSecond))
  const ids = found.map((each) => each.id)
  const moved = await tx.orm.execute(sql`
    UPDATE webhook_logs SET status = 'waiting', round = round + 1, retries = 0, fail_reason = NULL,
      urls_destiny = ARRAY[${url}::text], url_id = ${id}, batch_id = NULL, lease_id = NULL, due_at = NULL,
      indexed = false
    WHERE id = ANY(${sql.param(ids)}::uuid[]) AND status IN ('failed', 'partial')`)
  const isLast = ids.length < perSecond
  await tx.orm
    .update(webhookUrls)
    .set({
      queued: true,
      resendAfterId: ids.at(-1) ?? resendAfterId,
      resendSent: sql`${webhookUrls.resendSent} + ${moved.count}`,
      resendNextAt: sql`clock_timestamp() + interval '1 second'`,
      ...(isLast && { resendEndedAt: sql`clock_timestamp()` }),
    })
    .where(eq(webhookUrls.id, id))
}
