/** Queries that notify a vault's other URLs of a URL that fails, and of its recovery. */
import { sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { webhookLogs, webhookUrls } from '../../../drizzle/schema.ts'
import { EVENTS, eventBody, type GatehouseEvent } from '../../domain/webhook/events.ts'
import { topicsByUrl } from '../../domain/webhook/url.ts'
import { type Database, transaction } from '../connection/database.ts'
import { notifyWebhookLogs } from '../connection/notification.ts'
import { REPORTED } from './failing-url.ts'
import { withIdentity } from './outbox.ts'
import { readWebhookUrls } from './setting.ts'
import { readEventFilters, webhookUrlId } from './url.ts'

/** The maximum number of URLs that one pass reports. */
const MAX_REPORTED = 200

interface ReportedUrl extends Record<string, unknown> {
  readonly vault_id: string
  readonly url: string
  readonly since: number
}

type Notify = (
  tx: Database,
  url: { readonly vaultId: string; readonly id: string },
  event: 'webhook_failing' | 'webhook_recovered',
) => Promise<void>

/** Notifies the other URLs of a vault when a URL has failed for an hour, and when it accepts deliveries again. */
export async function reportFailingUrls(db: Database, notify: Notify): Promise<number> {
  const failing = await db.orm.execute<ReportedUrl>(sql`
    SELECT vault_id, url, floor(extract(epoch FROM min(failing_since)))::float8 AS since
    FROM ${REPORTED} AND NOT EXISTS (
      SELECT FROM webhook_urls AS known
      WHERE known.vault_id = failing.vault_id AND known.url = failing.url
        AND (failing_reported_at IS NOT NULL OR paused))
    GROUP BY 1, 2 ORDER BY 1, 2 LIMIT ${MAX_REPORTED}`)
  for (const { vault_id: vaultId, url, since } of failing)
    await transaction(db, async (tx) => {
      const id = webhookUrlId(vaultId, url)
      const reported = await tx.orm
        .insert(webhookUrls)
        .values({ id, vaultId, url, failingReportedAt: sql`clock_timestamp()` })
        .onConflictDoUpdate({
          target: webhookUrls.id,
          set: { failingReportedAt: sql`clock_timestamp()` },
          setWhere: sql`${webhookUrls.failingReportedAt} IS NULL`,
        })
        .returning({ id: webhookUrls.id })
      if (reported.length === 0) return
      const attributes = { webhook_url_uuid: id, first_failed_at: since }
      await sendToOthers(tx, vaultId, url, {
        name: 'webhook_failing',
        attributes: { ...attributes, version: now(), status: 'failing' },
      })
      await notify(tx, { vaultId, id }, 'webhook_failing')
    })
  return failing.length + (await reportRecoveredUrls(db, notify))
}

const reportRecoveredUrls = (db: Database, notify: Notify): Promise<number> =>
  transaction(db, async (tx) => {
    const recovered = await tx.orm.execute<{ id: string; vault_id: string; url: string }>(sql`
      UPDATE webhook_urls SET failing_reported_at = NULL WHERE id = ANY(ARRAY(
        SELECT id FROM webhook_urls AS known WHERE failing_reported_at IS NOT NULL AND NOT EXISTS (
          SELECT FROM webhook_failing_urls AS failing
          WHERE failing.vault_id = known.vault_id AND failing.url = known.url
            AND failing_since <= clock_timestamp() - interval '1 hour')
        LIMIT ${MAX_REPORTED} FOR UPDATE SKIP LOCKED))
      RETURNING id, vault_id, url`)
    for (const { id, vault_id: vaultId, url } of recovered) {
      await sendToOthers(tx, vaultId, url, {
        name: 'webhook_recovered',
        attributes: { webhook_url_uuid: id, version: now(), status: 'active' },
      })
      await notify(tx, { vaultId, id }, 'webhook_recovered')
    }
    return recovered.length
  })

const now = (): number => Math.floor(Date.now() / 1_000)
const NO_OTHER_URL = 'no other URL is registered'

/** Writes the event for all other URLs of the vault, whatever their topics. */
async function sendToOthers(
  tx: Database,
  vaultId: string,
  failingUrl: string,
  { name, attributes }: GatehouseEvent,
): Promise<void> {
  const filters = await readEventFilters(tx, vaultId)
  const urls = [...topicsByUrl(await readWebhookUrls(tx, vaultId)).keys()].filter(
    (url) => url !== failingUrl && (filters.get(url)?.includes(name) ?? true),
  )
  await tx.orm.insert(webhookLogs).values({
    id: newId(),
    vaultId,
    topic: EVENTS[name].topic,
    payload: eventBody({ name, attributes: withIdentity(attributes) }),
    urlsDestiny: urls,
    ...(urls.length === 0 && { status: 'failed' as const, failReason: NO_OTHER_URL }),
    traceparent: tx.span.traceparent,
  })
  await notifyWebhookLogs(tx)
}
