/** Webhook logs that a client has sent once more: the same entry and payload, a new round. */
import { and, eq, sql } from 'drizzle-orm'
import { NIL } from 'uuid'
import { webhookLogs } from '../../../drizzle/schema.ts'
import {
  destinationOf,
  FALLBACK_TOPICS,
  TOPICS,
  type Topic,
  type UrlList,
} from '../../domain/webhook/events.ts'
import { isInProgress, type RetryRange, type WebhookLog } from '../../domain/webhook/log.ts'
import { type Database, transaction } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { createdWithin } from '../connection/id-time.ts'
import { readWebhookUrls } from './setting.ts'

type Retried = WebhookLog | 'not_found' | 'delivery_in_progress' | 'no_urls_configured' | 'no_failed_urls'

/** The vault's log, pending again and unclaimed; or why it cannot be sent now. `onlyFailed`: to the URLs that failed. */
export const retryWebhookLog = (
  db: Database,
  vaultId: string,
  id: string,
  onlyFailed = false,
): Promise<Retried> =>
  transaction(db, async (tx) => {
    // Of two that race, the second waits here and finds the log pending.
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
    return retried ?? 'no_failed_urls'
  })

/** The most that one transaction sets pending. */
const CHUNK = 200

/**
 * Sets every log of the range pending, some at a time, and tells `committed` of each lot; gives how many they
 * were. What was created after the call began is not among them; null when the topic has no URLs. `goOn` is called in
 * each transaction, and ends it all by throwing.
 */
export async function retryWebhookLogs(
  db: Database,
  vaultId: string,
  range: RetryRange,
  committed: (webhookLogIds: readonly string[]) => void,
  goOn: (tx: Database) => Promise<void> = async () => {},
): Promise<number | null> {
  const urls = await readWebhookUrls(db, vaultId)
  // What another topic's URLs stood in for may have URLs of its own by now.
  const topics = TOPICS.filter((topic) => topic === range.topic || FALLBACK_TOPICS[topic] === range.topic)
  if (topics.every((topic) => destinationOf(topic, urls).urls.length === 0)) return null
  const rows = await db.orm.execute<{ now: string }>(sql`SELECT clock_timestamp() AS now`)
  const began = new Date(rows[0]?.now ?? 0)
  const first = new Date(range.from * 1000)
  const end = new Date(Math.min((range.to + 1) * 1000, began.getTime()))
  let after: string = NIL
  let count = 0
  for (;;) {
    const { ids, last } = await transaction(db, async (tx) => {
      const logs = await tx.orm
        .select()
        .from(webhookLogs)
        .where(
          and(
            eq(webhookLogs.vaultId, vaultId),
            eq(webhookLogs.topic, range.topic),
            eq(webhookLogs.status, range.status),
            sql`${webhookLogs.id} > ${after}`,
            createdWithin(webhookLogs, { from: first, before: end }),
          ),
        )
        .orderBy(webhookLogs.id)
        .limit(CHUNK)
        .for('update')
      const retried = await setPending(tx, logs, await readWebhookUrls(tx, vaultId), range.onlyFailed)
      await goOn(tx)
      return { ids: retried.map(({ id }) => id), last: logs.at(-1)?.id }
    })
    if (last === undefined) return count
    after = last
    count += ids.length
    committed(ids)
  }
}

/** Those logs that have somewhere to go now; the others stay as they are. */
async function setPending(
  tx: Database,
  logs: readonly WebhookLog[],
  urls: UrlList,
  onlyFailed = false,
): Promise<WebhookLog[]> {
  const topicOf = (log: WebhookLog) => destinationOf(topicOfEvent(log), urls).topic
  const retried: WebhookLog[] = []
  for (const topic of new Set(logs.map(topicOf))) {
    const destinations = urls[topic] ?? []
    if (destinations.length === 0) continue
    const ids = logs.filter((log) => topicOf(log) === topic).map(({ id }) => id)
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
        urlsDestiny: onlyFailed ? failed : destinations,
        batchId: null,
        leaseId: null,
        dueAt: null,
        // Put in again when it is done, rather than at each change of its status.
        indexed: false,
      })
      .where(and(eqAny(webhookLogs.id, ids), onlyFailed ? sql`${failed} <> '{}'` : undefined))
      .returning()
    retried.push(...rows)
  }
  return retried
}

/** Those of the URLs to which the newest round of a log went, and which did not accept it. */
const failedAmong = (urls: readonly string[]) => sql<string[]>`ARRAY(
  SELECT url FROM unnest(${sql.param(urls)}::text[]) WITH ORDINALITY AS registered (url, nth)
  WHERE url = ANY(${webhookLogs.urlsDestiny}) AND NOT EXISTS (
    SELECT FROM webhook_attempts AS attempt
    WHERE attempt.webhook_log_id = ${webhookLogs.id} AND attempt.round = ${webhookLogs.round}
      AND attempt.url = registered.url AND attempt.error IS NULL)
  ORDER BY nth)`

/** Returns the topic of the event, which differs from the log's topic if another topic's URLs stood in for it. */
const topicOfEvent = ({ topic, eventTopic }: WebhookLog): Topic => eventTopic ?? topic
