/** Webhook logs as clients read them. */
import { and, count, desc, eq, sql } from 'drizzle-orm'
import { webhookLogs } from '../../drizzle/schema.ts'
import type { Page } from '../contracts/common.ts'
import type { LogStatus, Topic } from '../domain/events.ts'
import type { Database } from './database.ts'

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
    .orderBy(desc(webhookLogs.id))
    .limit(per_page)
    .offset((page - 1) * per_page)
  const [total] = await db.orm.select({ count: count() }).from(webhookLogs).where(where)
  return { logs, totalCount: total?.count ?? 0 }
}

export type WebhookLog = typeof webhookLogs.$inferSelect
