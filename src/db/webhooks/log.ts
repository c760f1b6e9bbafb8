/** Queries that list and search webhook logs for clients, and list the attempts of a log. */
import { and, asc, count, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import {
  final,
  unfinished,
  waiting,
  webhookAttempts,
  webhookLogCounts,
  webhookLogs,
} from '../../../drizzle/schema.ts'
import type { Listed, Page } from '../../domain/base/page.ts'
import { TOPICS } from '../../domain/base/topics.ts'
import { LOG_STATUSES, type LogStatus, storedStatuses } from '../../domain/webhook/events.ts'
import type { WebhookAttempt, WebhookLog, WebhookLogFilter } from '../../domain/webhook/log.ts'
import { type Database, transaction } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { CANCELLED, findDatabaseError } from '../connection/failure.ts'
import { createdWithin, partsOfCreatedWithin } from '../connection/id-time.ts'
import { sealedFor } from '../connection/sealed.ts'

/** The maximum number of search results, because counting all matches would take seconds. */
const MAX_FOUND = 10_000
/** The number of newest logs that a search reads if the index cannot find the text in time. */
const MAX_SEARCHED = 50_000
const MAX_SEARCH_MS = 2_000

const hasStatus = (column: AnyPgColumn, status: LogStatus) => {
  const stored = storedStatuses(status)
  return stored.length === 1 ? eq(column, status) : eqAny(column, stored)
}

const matching = (vaultId: string, filter: WebhookLogFilter, within = createdWithin(webhookLogs, filter)) =>
  and(
    eq(webhookLogs.vaultId, vaultId),
    filter.topic === 'all' ? undefined : eq(webhookLogs.topic, filter.topic),
    filter.status === 'all' ? undefined : hasStatus(webhookLogs.status, filter.status),
    within,
  )

/** Selects the logs separately for each topic, status and part of the period. */
function selectSeparately(
  vaultId: string,
  filter: WebhookLogFilter,
  parts: readonly (SQL | undefined)[],
  then?: SQL,
): SQL {
  const topics = filter.topic === 'all' ? TOPICS : [filter.topic]
  const statuses = (filter.status === 'all' ? LOG_STATUSES : [filter.status]).flatMap(storedStatuses)
  const groups = topics.flatMap((topic) => statuses.map((status) => ({ topic, status })))
  const each = groups.flatMap(({ topic, status }) =>
    parts.map((part) => {
      const found = and(matching(vaultId, { topic, status: 'all' }, part), sql`status = ${status}`)
      return sql`(SELECT id FROM webhook_logs WHERE ${found} ${then})`
    }),
  )
  return sql.join(each, sql` UNION ALL `)
}

/**
 * Selects IDs, newest first. The index returns each combination of topic and status in order, and PostgreSQL merges
 * them, so that one index serves all filters and pages.
 */
export function selectNewest(vaultId: string, filter: WebhookLogFilter, limit: number, offset = 0): SQL {
  const inOrder = sql`ORDER BY id DESC LIMIT ${offset + limit}`
  return sql`SELECT id FROM (${selectSeparately(vaultId, filter, [createdWithin(webhookLogs, filter)], inOrder)}) AS logs
    ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`
}

/** Returns a page of the vault's logs that match the filter, newest first. `search` is literal text. */
export async function listWebhookLogs(
  db: Database,
  vaultId: string,
  { page, per_page }: Page,
  filter: WebhookLogFilter,
): Promise<Listed<WebhookLog>> {
  const offset = (page - 1) * per_page
  const [ids, totalCount] = filter.search
    ? await findWebhookLogs(db, vaultId, filter, filter.search).then(
        (found) => [found.slice(offset, offset + per_page), found.length] as const,
      )
    : await Promise.all([
        idsOf(db, selectNewest(vaultId, filter, per_page, offset)),
        countWebhookLogs(db, vaultId, filter),
      ])
  const entries = await db.orm
    .select()
    .from(webhookLogs)
    .where(and(eq(webhookLogs.vaultId, vaultId), eqAny(webhookLogs.id, ids)))
    .orderBy(desc(webhookLogs.id))
  return { entries, totalCount }
}

/** Counts logs. Uses the stored counts of whole days, or the index if the filter has a period. */
async function countWebhookLogs(db: Database, vaultId: string, filter: WebhookLogFilter): Promise<number> {
  const { topic, status, from, before } = filter
  if (from || before) {
    const [row] = await db.orm.execute<{ count: number }>(
      sql`SELECT count(*)::float8 AS count FROM (${selectSeparately(vaultId, filter, partsOfCreatedWithin(webhookLogs, filter))}) AS logs`,
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
        status === 'all' ? undefined : hasStatus(webhookLogCounts.status, status),
      ),
    )
  return total?.count ?? 0
}

const idsOf = async (db: Database, query: SQL): Promise<string[]> =>
  (await db.orm.execute<{ id: string }>(query)).map(({ id }) => id)

/** Matches texts that the index can find, which need three consecutive letters or digits. */
const INDEXABLE = /[\p{L}\p{N}]{3}/u

/** Returns the IDs of the logs whose payload contains the text, newest first. */
async function findWebhookLogs(db: Database, vaultId: string, filter: WebhookLogFilter, text: string) {
  if (INDEXABLE.test(text)) {
    try {
      return await transaction(db, async (tx) => {
        await tx.orm.execute(sql.raw(`SET LOCAL statement_timeout = ${MAX_SEARCH_MS}`))
        return idsOf(tx, selectAllWithText(vaultId, filter, text))
      })
    } catch (error) {
      // The search times out if each part of the text occurs in many payloads, but the whole text in few.
      if (findDatabaseError(error)?.code !== CANCELLED) throw error
    }
  }
  return idsOf(db, selectNewestWithText(vaultId, filter, text))
}

const has = (text: string) => sql`payload ILIKE ${`%${text.replace(/[\\%_]/g, '\\$&')}%`}`

/** Returns the condition for payloads that contain the text, either literally or escaped as in JSON. */
export function hasText(text: string): SQL {
  const written = JSON.stringify(text).slice(1, -1)
  return written === text ? has(text) : sql`(${has(text)} OR ${has(written)})`
}

/**
 * Selects from the search index, and reads the payloads that are not in it yet. Each part has its own index, but with
 * OR, PostgreSQL would use neither. OFFSET 0 makes PostgreSQL find the most selective term with the index first, and
 * compare only the rows that contain it with the whole text.
 */
export const selectAllWithText = (vaultId: string, filter: WebhookLogFilter, text: string): SQL => sql`
  (SELECT id FROM (
    SELECT id, payload FROM webhook_logs
    WHERE indexed AND ${matching(vaultId, filter)} AND ${hasText(mostSelectiveTerm(text))} ORDER BY id DESC OFFSET 0
  ) AS likely WHERE ${hasText(text)} LIMIT ${MAX_FOUND})
  UNION ALL
  ${selectUnindexedWithText(vaultId, filter, text)}
  ORDER BY id DESC LIMIT ${MAX_FOUND}`

/** Matches the logs in the queues of the vault's URLs, which have their own index. */
export const waitingOf = (vaultId: string): SQL =>
  sql`${waiting} AND url_id IN (SELECT id FROM webhook_urls WHERE vault_id = ${vaultId})`

/** Selects ended, unfinished and waiting logs separately, because they have separate indexes. */
function selectUnindexedWithText(vaultId: string, filter: WebhookLogFilter, text: string): SQL {
  const queued = waitingOf(vaultId)
  const parts =
    filter.status === 'all'
      ? [final, unfinished, queued]
      : filter.status === 'pending'
        ? [unfinished, queued]
        : [undefined]
  return selectUnindexed(
    parts.map((part) => and(matching(vaultId, filter), part, hasText(text))),
    sql`ORDER BY id DESC LIMIT ${MAX_FOUND}`,
  )
}

function selectUnindexed(conditions: readonly (SQL | undefined)[], then?: SQL): SQL {
  const parts = conditions.map(
    (condition) => sql`(SELECT id FROM webhook_logs WHERE NOT indexed AND ${condition} ${then})`,
  )
  return sql.join(parts, sql` UNION ALL `)
}

/** Selects all logs of the vault whose payload contains one of the IDs. The IDs are in lower case. */
export function selectWithIds(vaultId: string, ids: readonly string[]): SQL {
  const ofVault = sql`vault_id = ${vaultId}`
  const anyOf = (texts: readonly string[]) => sql`ANY(${sql.param(texts.map((text) => `%${text}%`))}::text[])`
  // Converts each payload to lower case once. ILIKE would convert it for each ID.
  const hasId = sql`lower(payload) LIKE ${anyOf(ids)}`
  return sql`
    (SELECT id FROM (
      SELECT id, payload FROM webhook_logs
      WHERE indexed AND ${ofVault} AND payload ILIKE ${anyOf(ids.map(mostSelectiveTerm))} OFFSET 0
    ) AS likely WHERE ${hasId})
    UNION ALL
    ${selectUnindexed([final, unfinished, waiting].map((part) => and(ofVault, part, hasId)))}`
}

export const selectNewestWithText = (vaultId: string, filter: WebhookLogFilter, text: string): SQL => sql`
  SELECT id FROM webhook_logs WHERE id = ANY(ARRAY(${selectNewest(vaultId, filter, MAX_SEARCHED)}))
    AND ${hasText(text)} ORDER BY id DESC LIMIT ${MAX_FOUND}`

/**
 * Returns the longest run of letters and digits that looks like an ID, such as the end of a UUID. If there is none,
 * returns the whole text. Searching for more runs would take longer, and other runs occur in nearly every payload.
 */
export function mostSelectiveTerm(text: string): string {
  const runs = text.match(/[\p{L}\p{N}]{6,}/gu)?.filter((run) => /\p{N}/u.test(run)) ?? []
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '') || text
}

/** Returns the vault's log, or null if there is none. */
export async function findWebhookLog(db: Database, vaultId: string, id: string): Promise<WebhookLog | null> {
  const [log] = await db.orm
    .select()
    .from(webhookLogs)
    .where(and(eq(webhookLogs.id, id), eq(webhookLogs.vaultId, vaultId)))
  return log ?? null
}

/** Returns the vault to which the log belongs, or null if it belongs to none of the vaults. */
export async function findVaultOfWebhookLog(db: Database, vaultIds: readonly string[], id: string) {
  const [log] = await db.orm
    .select({ vaultId: webhookLogs.vaultId })
    .from(webhookLogs)
    .where(and(eq(webhookLogs.id, id), eqAny(webhookLogs.vaultId, vaultIds)))
  return log?.vaultId ?? null
}

/** Returns a page of the attempts of the vault's log, oldest first. */
export async function listWebhookAttempts(
  db: Database,
  vaultId: string,
  webhookLogId: string,
  { page, per_page }: Page,
): Promise<Listed<WebhookAttempt>> {
  const ofLog = and(eq(webhookAttempts.webhookLogId, webhookLogId), eq(webhookLogs.vaultId, vaultId))
  const logOfAttempt = eq(webhookLogs.id, webhookAttempts.webhookLogId)
  const attempts = await db.orm
    .select(getTableColumns(webhookAttempts))
    .from(webhookAttempts)
    .innerJoin(webhookLogs, logOfAttempt)
    .where(ofLog)
    .orderBy(asc(webhookAttempts.round), asc(webhookAttempts.number), asc(webhookAttempts.url))
    .limit(per_page)
    .offset((page - 1) * per_page)
  const [total] = await db.orm
    .select({ count: count() })
    .from(webhookAttempts)
    .innerJoin(webhookLogs, logOfAttempt)
    .where(ofLog)
  return { entries: attempts.map((attempt) => unsealAttempt(db, attempt)), totalCount: total?.count ?? 0 }
}

export const unsealAttempt = (db: Database, attempt: typeof webhookAttempts.$inferSelect): WebhookAttempt => {
  const { webhookLogId, excerpt } = attempt
  const context = sealedFor('webhook_attempts.excerpt', webhookLogId)
  return { ...attempt, excerpt: excerpt && db.encryption.unseal(excerpt, context).toString() }
}
