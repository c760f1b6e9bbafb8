/** Webhook logs: written with the change they tell of, listed for clients, claimed by batches. */
import { and, count, desc, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { webhookLogs } from '../../drizzle/schema.ts'
import type { Page } from '../contracts/common.ts'
import {
  destinationOf,
  EVENTS,
  envelopeKey,
  eventBody,
  type GatehouseEvent,
  type LogStatus,
  type Topic,
} from '../domain/events.ts'
import type { Database } from './database.ts'
import { readWebhookUrls } from './webhook-setting.ts'

/** Writes a log row per event whose topic has URLs; gives their ids, for the dispatcher. */
export async function insertWebhookLogs(
  tx: Database,
  vaultId: string,
  events: readonly GatehouseEvent[],
): Promise<string[]> {
  if (events.length === 0) return []
  const urls = await readWebhookUrls(tx, vaultId)
  const occurredAt = Math.floor(Date.now() / 1000)
  const rows = events.flatMap(({ name, attributes }) => {
    const { topic, urls: destinations } = destinationOf(EVENTS[name].topic, urls)
    if (destinations.length === 0) return []
    const all = { event_id: newId(), occurred_at: occurredAt, ...attributes }
    return [
      {
        id: newId(),
        vaultId,
        event: topic,
        payload: eventBody({ name, attributes: all }, envelopeKey(name)),
        urlsDestiny: destinations,
      },
    ]
  })
  if (rows.length === 0) return []
  await tx.orm.insert(webhookLogs).values(rows)
  return rows.map((row) => row.id)
}

/** A page of the vault's logs with this topic and status, newest first; `search` is literal text. */
export async function listWebhookLogs(
  db: Database,
  vaultId: string,
  { page, per_page }: Page,
  filter: { topic: Topic; status: LogStatus; search?: string | undefined },
) {
  const where = and(
    eq(webhookLogs.vaultId, vaultId),
    eq(webhookLogs.event, filter.topic),
    eq(webhookLogs.status, filter.status),
    filter.search === undefined
      ? undefined
      : sql`${webhookLogs.payload} ILIKE ${`%${filter.search.replace(/[\\%_]/g, '\\$&')}%`}`,
  )
  const logs = await db.orm
    .select()
    .from(webhookLogs)
    .where(where)
    .orderBy(desc(webhookLogs.createdAt), desc(webhookLogs.id))
    .limit(per_page)
    .offset((page - 1) * per_page)
  const [total] = await db.orm.select({ count: count() }).from(webhookLogs).where(where)
  return { logs, totalCount: total?.count ?? 0 }
}

export type WebhookLog = typeof webhookLogs.$inferSelect

/** Claims pending logs for a batch; those that another process was faster to claim are left out. */
export async function claimWebhookLogs(
  db: Database,
  batchId: string,
  ids: readonly string[],
): Promise<string[]> {
  const claimed = await db.orm
    .update(webhookLogs)
    .set({ batchId })
    .where(
      and(inArray(webhookLogs.id, [...ids]), isNull(webhookLogs.batchId), eq(webhookLogs.status, 'pending')),
    )
    .returning({ id: webhookLogs.id })
  const set = new Set(claimed.map((row) => row.id))
  return ids.filter((id) => set.has(id))
}

/** Pending logs older than 10 s that no batch has claimed: their process died before it could. */
export async function unclaimedWebhookLogs(db: Database, limit: number): Promise<string[]> {
  const rows = await db.orm
    .select({ id: webhookLogs.id })
    .from(webhookLogs)
    .where(
      and(
        isNull(webhookLogs.batchId),
        eq(webhookLogs.status, 'pending'),
        sql`${webhookLogs.createdAt} < clock_timestamp() - interval '10 seconds'`,
      ),
    )
    .orderBy(webhookLogs.createdAt)
    .limit(limit)
  return rows.map((row) => row.id)
}

/** Batches that hold unfinished logs, and those logs; young ones are left to their process. */
export async function unfinishedBatches(db: Database): Promise<Map<string, string[]>> {
  const rows = await db.orm
    .select({ id: webhookLogs.id, batchId: webhookLogs.batchId })
    .from(webhookLogs)
    .where(
      and(
        inArray(webhookLogs.status, ['pending', 'processing']),
        isNotNull(webhookLogs.batchId),
        sql`${webhookLogs.createdAt} < clock_timestamp() - interval '10 seconds'`,
      ),
    )
    .orderBy(webhookLogs.createdAt)
    .limit(10_000)
  const batches = new Map<string, string[]>()
  for (const { id, batchId } of rows) {
    if (batchId !== null) batches.set(batchId, [...(batches.get(batchId) ?? []), id])
  }
  return batches
}

/** Gives the unfinished logs of a batch back, unless something else has claimed them since. */
export async function releaseBatch(db: Database, batchId: string): Promise<void> {
  await db.orm
    .update(webhookLogs)
    .set({ batchId: null, status: 'pending' })
    .where(and(eq(webhookLogs.batchId, batchId), inArray(webhookLogs.status, ['pending', 'processing'])))
}
