/** Webhook logs as clients see them: listed, searched, with the attempts that were made. */
import { and, asc, count, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { webhookAttempts, webhookLogCounts, webhookLogs } from '../../drizzle/schema.ts'
import type { LogStatus, Topic } from '../domain/events.ts'
import type { Page } from '../domain/page.ts'
import { isAnyOf } from './any-of.ts'
import { type Database, databaseError, transaction } from './database.ts'
import { sealedFor } from './sealed.ts'

export type WebhookLog = typeof webhookLogs.$inferSelect
export type WebhookAttempt = Omit<typeof webhookAttempts.$inferSelect, 'excerpt'> & { excerpt: string | null }

interface Filter {
  readonly topic: Topic
  readonly status: LogStatus
  readonly search?: string | undefined
}

/** A search finds so many of the newest; to count on would take seconds. */
const MAX_FOUND = 10_000
/** For text that the index does not find, or not in this time, so many of the newest are looked through. */
const MAX_LOOKED_THROUGH = 50_000
const MAX_SEARCH_MS = 2_000

const ofGroup = (vaultId: string, { topic, status }: Filter) =>
  and(eq(webhookLogs.vaultId, vaultId), eq(webhookLogs.topic, topic), eq(webhookLogs.status, status))

/** A page of the vault's logs with this topic and status, newest first; `search` is literal text. */
export async function listWebhookLogs(
  db: Database,
  vaultId: string,
  { page, per_page }: Page,
  filter: Filter,
): Promise<{ logs: WebhookLog[]; totalCount: number }> {
  const offset = (page - 1) * per_page
  const [ids, totalCount] = filter.search
    ? await findWebhookLogs(db, vaultId, filter, filter.search).then(
        (found) => [found.slice(offset, offset + per_page), found.length] as const,
      )
    : await Promise.all([
        pageOfIds(db, vaultId, filter, per_page, offset),
        countWebhookLogs(db, vaultId, filter),
      ])
  const logs = await db.orm
    .select()
    .from(webhookLogs)
    .where(and(eq(webhookLogs.vaultId, vaultId), isAnyOf(webhookLogs.id, ids)))
    .orderBy(desc(webhookLogs.id))
  return { logs, totalCount }
}

/** Ids alone come from the index, also those of a late page. */
async function pageOfIds(db: Database, vaultId: string, filter: Filter, limit: number, offset: number) {
  const rows = await db.orm
    .select({ id: webhookLogs.id })
    .from(webhookLogs)
    .where(ofGroup(vaultId, filter))
    .orderBy(desc(webhookLogs.id))
    .limit(limit)
    .offset(offset)
  return rows.map(({ id }) => id)
}

async function countWebhookLogs(db: Database, vaultId: string, { topic, status }: Filter): Promise<number> {
  const [total] = await db.orm
    .select({ count: sql<number>`coalesce(sum(${webhookLogCounts.delta}), 0)::float8` })
    .from(webhookLogCounts)
    .where(
      and(
        eq(webhookLogCounts.vaultId, vaultId),
        eq(webhookLogCounts.topic, topic),
        eq(webhookLogCounts.status, status),
      ),
    )
  return total?.count ?? 0
}

/** What the index can find holds this many letters or digits in a row. */
const INDEXABLE = /[\p{L}\p{N}]{3}/u
const CANCELLED = '57014'

/** Ids of the logs whose payload holds the text, newest first. */
async function findWebhookLogs(
  db: Database,
  vaultId: string,
  filter: Filter,
  text: string,
): Promise<string[]> {
  const idsOf = async (on: Database, query: SQL) =>
    (await on.orm.execute<{ id: string }>(query)).map(({ id }) => id)
  if (INDEXABLE.test(text)) {
    try {
      return await transaction(db, async (tx) => {
        await tx.orm.execute(sql.raw(`SET LOCAL statement_timeout = ${MAX_SEARCH_MS}`))
        return idsOf(tx, allWithText(vaultId, filter, text))
      })
    } catch (error) {
      // Every part of the text is everywhere, the whole of it hardly anywhere.
      if (databaseError(error)?.code !== CANCELLED) throw error
    }
  }
  return idsOf(db, newestWithText(vaultId, filter, text))
}

export const holds = (text: string) => sql`payload ILIKE ${`%${text.replace(/[\\%_]/g, '\\$&')}%`}`

/**
 * What the index of payloads does not hold yet is looked through, so that nothing is missing. Each side has
 * an index of its own; in one condition with OR, neither would be used. OFFSET 0 keeps the conditions of the
 * first side apart: the index is asked for the part of the text that tells most, its rows for the whole.
 */
export const allWithText = (vaultId: string, filter: Filter, text: string): SQL => sql`
  (SELECT id FROM (
    SELECT id, payload FROM webhook_logs
    WHERE indexed AND ${ofGroup(vaultId, filter)} AND ${holds(tellingPart(text))} ORDER BY id DESC OFFSET 0
  ) AS likely WHERE ${holds(text)} LIMIT ${MAX_FOUND})
  UNION ALL
  (SELECT id FROM webhook_logs
    WHERE NOT indexed AND ${ofGroup(vaultId, filter)} AND ${holds(text)} ORDER BY id DESC LIMIT ${MAX_FOUND})
  ORDER BY id DESC LIMIT ${MAX_FOUND}`

export const newestWithText = (vaultId: string, filter: Filter, text: string): SQL => sql`
  SELECT id FROM (
    SELECT id, payload FROM webhook_logs WHERE ${ofGroup(vaultId, filter)}
    ORDER BY id DESC LIMIT ${MAX_LOOKED_THROUGH}
  ) AS newest WHERE ${holds(text)} ORDER BY id DESC LIMIT ${MAX_FOUND}`

/**
 * The longest run of letters and digits that looks like an id, such as the end of a UUID; else the whole
 * text. Each further run adds what nearly every payload has (the beginning of a word), and takes longer.
 */
export function tellingPart(text: string): string {
  const runs = text.match(/[\p{L}\p{N}]{6,}/gu)?.filter((run) => /\p{N}/u.test(run)) ?? []
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '') || text
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
    .where(and(eq(webhookLogs.id, id), isAnyOf(webhookLogs.vaultId, vaultIds)))
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
  return { attempts: attempts.map((attempt) => openAttempt(db, attempt)), totalCount: total?.count ?? 0 }
}

export const openAttempt = (db: Database, attempt: typeof webhookAttempts.$inferSelect): WebhookAttempt => {
  const { webhookLogId, excerpt } = attempt
  const context = sealedFor('webhook_attempts.excerpt', webhookLogId)
  return { ...attempt, excerpt: excerpt && db.encryption.open(excerpt, context).toString() }
}
