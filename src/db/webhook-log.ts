/** Webhook logs as clients see them: listed, searched, with the attempts that were made. */
import { and, asc, count, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { webhookAttempts, webhookLogCounts, webhookLogs } from '../../drizzle/schema.ts'
import type { Page } from '../contracts/common.ts'
import type { LogStatus, Topic } from '../domain/events.ts'
import type { Database } from './database.ts'

export type WebhookLog = typeof webhookLogs.$inferSelect
export type WebhookAttempt = typeof webhookAttempts.$inferSelect

interface Filter {
  readonly topic: Topic
  readonly status: LogStatus
  readonly search?: string | undefined
}

/** With `search`, so many of the newest are found; nobody pages further, and counting on would take seconds. */
export const MAX_FOUND = 10_000

const ofGroup = (vaultId: string, { topic, status }: Filter) =>
  and(eq(webhookLogs.vaultId, vaultId), eq(webhookLogs.event, topic), eq(webhookLogs.status, status))

/** A page of the vault's logs with this topic and status, newest first; `search` is literal text. */
export async function listWebhookLogs(
  db: Database,
  vaultId: string,
  { page, per_page }: Page,
  filter: Filter,
): Promise<{ logs: WebhookLog[]; totalCount: number }> {
  const offset = (page - 1) * per_page
  if (filter.search !== undefined && filter.search !== '') {
    const ids = await findWebhookLogs(db, vaultId, filter, filter.search)
    const shown = ids.slice(offset, offset + per_page)
    const logs = await db.orm
      .select()
      .from(webhookLogs)
      .where(and(eq(webhookLogs.vaultId, vaultId), inArray(webhookLogs.id, shown)))
      .orderBy(desc(webhookLogs.id))
    return { logs, totalCount: ids.length }
  }
  const logs = await db.orm
    .select()
    .from(webhookLogs)
    .where(ofGroup(vaultId, filter))
    .orderBy(desc(webhookLogs.id))
    .limit(per_page)
    .offset(offset)
  return { logs, totalCount: await countWebhookLogs(db, vaultId, filter) }
}

async function countWebhookLogs(db: Database, vaultId: string, { topic, status }: Filter): Promise<number> {
  const [total] = await db.orm
    .select({ count: sql<number>`coalesce(sum(${webhookLogCounts.delta}), 0)::float8` })
    .from(webhookLogCounts)
    .where(
      and(
        eq(webhookLogCounts.vaultId, vaultId),
        eq(webhookLogCounts.event, topic),
        eq(webhookLogCounts.status, status),
      ),
    )
  return total?.count ?? 0
}

/**
 * Ids of the logs whose payload holds the text, newest first. What the index of payloads does not hold yet is
 * looked through, so that the answer is complete.
 */
async function findWebhookLogs(
  db: Database,
  vaultId: string,
  filter: Filter,
  text: string,
): Promise<string[]> {
  const { rows } = await db.orm.execute<{ id: string }>(searchQuery(vaultId, filter, text))
  return rows.map((row) => row.id)
}

/** Each side has an index of its own; as one condition with OR, neither would be used. */
export function searchQuery(vaultId: string, filter: Filter, text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  const found = sql`${ofGroup(vaultId, filter)} AND ${webhookLogs.payload} ILIKE ${pattern}
    ORDER BY id DESC LIMIT ${MAX_FOUND}`
  return sql`
    (SELECT id FROM webhook_logs WHERE indexed AND ${found})
    UNION ALL (SELECT id FROM webhook_logs WHERE NOT indexed AND ${found})
    ORDER BY id DESC LIMIT ${MAX_FOUND}`
}

/** Which of these vaults has the log, if one has. */
export async function vaultOfWebhookLog(
  db: Database,
  vaultIds: readonly string[],
  id: string,
): Promise<string | null> {
  const [log] = await db.orm
    .select({ vaultId: webhookLogs.vaultId })
    .from(webhookLogs)
    .where(and(eq(webhookLogs.id, id), inArray(webhookLogs.vaultId, [...vaultIds])))
  return log?.vaultId ?? null
}

/** A page of the attempts at the URLs of the vault's log, oldest first. */
export async function listWebhookAttempts(
  db: Database,
  vaultId: string,
  webhookLogId: string,
  { page, per_page }: Page,
): Promise<{ attempts: WebhookAttempt[]; totalCount: number }> {
  const ofLog = and(eq(webhookAttempts.webhookLogId, webhookLogId), eq(webhookLogs.vaultId, vaultId))
  const itsLog = eq(webhookLogs.id, webhookAttempts.webhookLogId)
  const attempts = await db.orm
    .select(getTableColumns(webhookAttempts))
    .from(webhookAttempts)
    .innerJoin(webhookLogs, itsLog)
    .where(ofLog)
    .orderBy(asc(webhookAttempts.round), asc(webhookAttempts.number), asc(webhookAttempts.url))
    .limit(per_page)
    .offset((page - 1) * per_page)
  const [total] = await db.orm
    .select({ count: count() })
    .from(webhookAttempts)
    .innerJoin(webhookLogs, itsLog)
    .where(ofLog)
  return { attempts, totalCount: total?.count ?? 0 }
}
