/** Queries that send webhook logs again, each with the same payload in a new round. */
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { NIL } from 'uuid'
import { webhookLogs } from '../../../drizzle/schema.ts'
import { TOPICS, type Topic } from '../../domain/base/topics.ts'
import { destinationOf, FALLBACK_TOPICS, readEventBody, type UrlList } from '../../domain/webhook/events.ts'
import { isInProgress, type RetryRange, type WebhookLog } from '../../domain/webhook/log.ts'
import { type Database, transaction } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { createdWithin } from '../connection/id-time.ts'
import { readWebhookUrls } from './setting.ts'
import { readEventFilters } from './url.ts'

type Retried = WebhookLog | 'not_found' | 'delivery_in_progress' | 'no_urls_configured' | 'no_failed_urls'

/**
 * Sets the vault's log to pending and returns it, or returns the reason why it cannot be sent now. With `onlyFailed`,
 * only the URLs that failed receive the log.
 */
export const retryWebhookLog = (
  db: Database,
  vaultId: string,
  id: string,
  onlyFailed = false,
): Promise<Retried> =>
  transaction(db, async (tx) => {
    // The second of two concurrent retries waits here, and then finds that the log is pending.
    const [log] = await tx.orm
      .select()
      .from(webhookLogs)
      .where(and(eq(webhookLogs.id, id), eq(webhookLogs.vaultId, vaultId)))
      .for('update')
    if (!log) return 'not_found'
    if (isInProgress(log)) return 'delivery_in_progress'
    const urls = await readWebhookUrls(tx, vaultId)
    if (destinationOf(topicOfEvent(log), urls).urls.length === 0) return 'no_urls_configured'
    const [retried] = await setPending(tx, [log], urls, onlyFailed)
    return retried ?? (onlyFailed ? 'no_failed_urls' : 'no_urls_configured')
  })

/** The maximum number of logs that one transaction sets to pending. */
const CHUNK = 200

/**
 * Sets the logs in the range to pending, in chunks, and passes the IDs of each chunk to `committed`. Excludes logs that
 * are created during the call. Returns the number of logs, or null if the topic has no URLs.
 * `renewLease` runs in each transaction. If it throws, the call ends.
 */
export async function retryWebhookLogs(
  db: Database,
  vaultId: string,
  range: RetryRange,
  committed: (webhookLogIds: readonly string[]) => void,
  renewLease: (tx: Database) => Promise<void> = async () => {},
): Promise<number | null> {
  const urls = await readWebhookUrls(db, vaultId)
  // A topic whose logs used the URLs of another topic may now have its own URLs.
  const topics = TOPICS.filter((topic) => topic === range.topic || FALLBACK_TOPICS[topic] === range.topic)
  if (topics.every((topic) => destinationOf(topic, urls).urls.length === 0)) return null
  const rows = await db.orm.execute<{ now: string }>(sql`SELECT clock_timestamp() AS now`)
  const began = new Date(rows[0]?.now ?? 0)
  const from = new Date(range.from * 1000)
  const before = new Date(Math.min((range.to + 1) * 1000, began.getTime()))
  const isInRange = and(
    eq(webhookLogs.vaultId, vaultId),
    eq(webhookLogs.topic, range.topic),
    eq(webhookLogs.status, range.status),
    createdWithin(webhookLogs, { from, before }),
  )
  let after: string = NIL
  let count = 0
  for (;;) {
    const { ids, last } = await transaction(db, async (tx) => {
      const logs = await getLogsForUpdate(tx, isInRange, after)
      const retried = await setPending(tx, logs, await readWebhookUrls(tx, vaultId), range.onlyFailed)
      await renewLease(tx)
      return { ids: retried.map(({ id }) => id), last: logs.at(-1)?.id }
    })
    if (last === undefined) return count
    after = last
    count += ids.length
    committed(ids)
  }
}

const getLogsForUpdate = (tx: Database, isInRange: SQL | undefined, after: string): Promise<WebhookLog[]> =>
  tx.orm
    .select()
    .from(webhookLogs)
    .where(and(isInRange, sql`${webhookLogs.id} > ${after}`))
    .orderBy(webhookLogs.id)
    .limit(CHUNK)
    .for('update')

/**
 * Sets the logs whose topic now has URLs that want the event to pending, and returns them. Does not change the other
 * logs.
 */
async function setPending(tx: Database, logs: readonly WebhookLog[], urls: UrlList, onlyFailed = false) {
  const filters = await readEventFilters(tx, logs[0]?.vaultId ?? NIL)
  const destinationFor = (log: WebhookLog) => {
    const { topic, urls: all } = destinationOf(topicOfEvent(log), urls)
    const wants = (url: string) => filters.get(url)?.includes(readEventBody(log.payload).name) ?? true
    return { topic, urls: all.filter(wants) }
  }
  const groups = new Map<string, { topic: Topic; urls: readonly string[]; ids: string[] }>()
  for (const log of logs) {
    const destination = destinationFor(log)
    const key = JSON.stringify(destination)
    const group = groups.get(key) ?? { ...destination, ids: [] }
    group.ids.push(log.id)
    groups.set(key, group)
  }
  const retried: WebhookLog[] = []
  for (const { topic, urls: destinations, ids } of groups.values()) {
    if (destinations.length === 0) continue
    const failed = failedAmong(destinations)
    const rows = await tx.orm
      .update(webhookLogs)
      .set({
        topic,
        eventTopic: sql`coalesce(${webhookLogs.eventTopic}, ${webhookLogs.topic})`,
        status: 'pending',
        failReason: null,
        retries: 0,
        round: sql`${webhookLogs.round} + 1`,
        urlsDestiny: onlyFailed ? failed : [...destinations],
        batchId: null,
        leaseId: null,
        dueAt: null,
        // Housekeeping indexes the payload again after the delivery, not at each change of the log's status.
        indexed: false,
      })
      .where(and(eqAny(webhookLogs.id, ids), onlyFailed ? sql`${failed} <> '{}'` : undefined))
      .returning()
    retried.push(...rows)
  }
  return retried
}

/** Selects the URLs that did not accept the log in its newest round. */
const failedAmong = (urls: readonly string[]) => sql<string[]>`ARRAY(
  SELECT url FROM unnest(${sql.param(urls)}::text[]) WITH ORDINALITY AS registered (url, nth)
  WHERE url = ANY(${webhookLogs.urlsDestiny}) AND NOT EXISTS (
    SELECT FROM webhook_attempts AS attempt
    WHERE attempt.webhook_log_id = ${webhookLogs.id} AND attempt.round = ${webhookLogs.round}
      AND attempt.url = registered.url AND attempt.error IS NULL)
  ORDER BY nth)`

/** Returns the topic of the event. If the log used the URLs of a fallback topic, `topic` is that fallback topic. */
const topicOfEvent = ({ topic, eventTopic }: WebhookLog): Topic => eventTopic ?? topic
