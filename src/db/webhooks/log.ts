/** Webhook logs as clients see them: listed, searched, with the attempts that were made. */
import { and, asc, count, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { final, unfinished, webhookAttempts, webhookLogCounts, webhookLogs } from '../../../drizzle/schema.ts'
import type { Page } from '../../domain/page.ts'
import { LOG_STATUSES, TOPICS } from '../../domain/webhook/events.ts'
import type { WebhookAttempt, WebhookLog, WebhookLogFilter } from '../../domain/webhook/log.ts'
import { CANCELLED, type Database, databaseError, transaction } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { createdWithin, partsOfCreatedWithin } from '../connection/id-time.ts'
import { sealedFor } from '../connection/sealed.ts'

/** A search finds so many of the newest; to count on would take seconds. */
const MAX_FOUND = 10_000
/** For text that the index does not find, or not in this time, so many of the newest are looked through. */
const MAX_LOOKED_THROUGH = 50_000
const MAX_SEARCH_MS = 2_000

const matching = (vaultId: string, filter: WebhookLogFilter, within = createdWithin(webhookLogs, filter)) =>
  and(
    eq(webhookLogs.vaultId, vaultId),
    filter.topic === 'all' ? undefined : eq(webhookLogs.topic, filter.topic),
    filter.status === 'all' ? undefined : eq(webhookLogs.status, filter.status),
    within,
  )

/** The same logs, of each topic, status and part of the time apart. */
function apart(
  vaultId: string,
  filter: WebhookLogFilter,
  parts: readonly (SQL | undefined)[],
  then?: SQL,
): SQL {
  const topics = filter.topic === 'all' ? TOPICS : [filter.topic]
  const statuses = filter.status === 'all' ? LOG_STATUSES : [filter.status]
  const groups = topics.flatMap((topic) => statuses.map((status) => ({ ...filter, topic, status })))
  const each = groups.flatMap((group) =>
    parts.map((part) => sql`(SELECT id FROM webhook_logs WHERE ${matching(vaultId, group, part)} ${then})`),
  )
  return sql.join(each, sql` UNION ALL `)
}

/**
 * Ids, newest first: each topic and status comes from the index in their order, also of a late page, and PostgreSQL
 * merges them. So one index serves one topic and status as well as all of them.
 */
export function newest(vaultId: string, filter: WebhookLogFilter, limit: number, offset = 0): SQL {
  const inOrder = sql`ORDER BY id DESC LIMIT ${offset + limit}`
  return sql`SELECT id FROM (${apart(vaultId, filter, [createdWithin(webhookLogs, filter)], inOrder)}) AS logs
    ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`
}

/** A page of the vault's logs with this topic and status, or all of them, newest first; `search` is literal text. */
export async function listWebhookLogs(
  db: Database,
  vaultId: string,
  { page, per_page }: Page,
  filter: WebhookLogFilter,
): Promise<{ logs: WebhookLog[]; totalCount: number }> {
  const offset = (page - 1) * per_page
  const [ids, totalCount] = filter.search
    ? await findWebhookLogs(db, vaultId, filter, filter.search).then(
        (found) => [found.slice(offset, offset + per_page), found.length] as const,
      )
    : await Promise.all([
        idsOf(db, newest(vaultId, filter, per_page, offset)),
        countWebhookLogs(db, vaultId, filter),
      ])
  const logs = await db.orm
    .select()
    .from(webhookLogs)
    .where(and(eq(webhookLogs.vaultId, vaultId), eqAny(webhookLogs.id, ids)))
    .orderBy(desc(webhookLogs.id))
  return { logs, totalCount }
}

/** Counts are of whole days: what a time has is counted from the index. */
async function countWebhookLogs(db: Database, vaultId: string, filter: WebhookLogFilter): Promise<number> {
  const { topic, status, from, before } = filter
  if (from || before) {
    const [row] = await db.orm.execute<{ count: number }>(
      sql`SELECT count(*)::float8 AS count FROM (${apart(vaultId, filter, partsOfCreatedWithin(webhookLogs, filter))}) AS logs`,
    )
    return row?.count ?? 0
  }
  const [total] = await db.orm
    .select({ count: sql<number>`coalesce(sum(${webhookLogCounts.delta}), 0)::float8` })
    .from(webhookLogCounts)
    .where(
      and(
        eq(webhookLogCounts.vaultId, vaultId),
        topic === 'all' ? undefined : eq(webhookLogCounts.topic, topic),
        status === 'all' ? undefined : eq(webhookLogCounts.status, status),
      ),
    )
  return total?.count ?? 0
}

const idsOf = async (db: Database, query: SQL): Promise<string[]> =>
  (await db.orm.execute<{ id: string }>(query)).map(({ id }) => id)

/** What the index can find holds this many letters or digits in a row. */
const INDEXABLE = /[\p{L}\p{N}]{3}/u

/** Ids of the logs whose payload holds the text, newest first. */
async function findWebhookLogs(
  db: Database,
  vaultId: string,
  filter: WebhookLogFilter,
  text: string,
): Promise<string[]> {
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

const has = (text: string) => sql`payload ILIKE ${`%${text.replace(/[\\%_]/g, '\\$&')}%`}`

/** The text as the payload has it, or as JSON writes what it says there. */
export function hasText(text: string): SQL {
  const written = JSON.stringify(text).slice(1, -1)
  return written === text ? has(text) : sql`(${has(text)} OR ${has(written)})`
}

/**
 * What the index of payloads does not hold yet is looked through, so that nothing is missing. Each side has
 * an index of its own; in one condition with OR, neither would be used. OFFSET 0 keeps the conditions of the
 * first side apart: the index is asked for the part of the text that tells most, its rows for the whole.
 */
export const allWithText = (vaultId: string, filter: WebhookLogFilter, text: string): SQL => sql`
  (SELECT id FROM (
    SELECT id, payload FROM webhook_logs
    WHERE indexed AND ${matching(vaultId, filter)} AND ${hasText(mostSelectiveTerm(text))} ORDER BY id DESC OFFSET 0
  ) AS likely WHERE ${hasText(text)} LIMIT ${MAX_FOUND})
  UNION ALL
  ${unindexedWithText(vaultId, filter, text)}
  ORDER BY id DESC LIMIT ${MAX_FOUND}`

/** Those that have ended have an index, and those that have not have another one. */
function unindexedWithText(vaultId: string, filter: WebhookLogFilter, text: string): SQL {
  const parts = filter.status === 'all' ? [final, unfinished] : [undefined]
  const each = parts.map(
    (part) => sql`(SELECT id FROM webhook_logs
      WHERE NOT indexed AND ${and(matching(vaultId, filter), part)} AND ${hasText(text)}
      ORDER BY id DESC LIMIT ${MAX_FOUND})`,
  )
  return sql.join(each, sql` UNION ALL `)
}

export const newestWithText = (vaultId: string, filter: WebhookLogFilter, text: string): SQL => sql`
  SELECT id FROM webhook_logs WHERE id = ANY(ARRAY(${newest(vaultId, filter, MAX_LOOKED_THROUGH)}))
    AND ${hasText(text)} ORDER BY id DESC LIMIT ${MAX_FOUND}`

/**
 * The longest run of letters and digits that looks like an id, such as the end of a UUID; else the whole
 * text. Each further run adds what nearly every payload has (the beginning of a word), and takes longer.
 */
export function mostSelectiveTerm(text: string): string {
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
    .where(and(eq(webhookLogs.id, id), eqAny(webhookLogs.vaultId, vaultIds)))
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
