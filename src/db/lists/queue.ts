/** Queries for the queue of applications and identifications, longest waiting first. */
import { asc, type SQL, sql } from 'drizzle-orm'
import { PENDING } from '../../../drizzle/schema/columns.ts'
import { HITS_OF_COMPANIES, HITS_OF_PERSONS, vaults } from '../../../drizzle/schema.ts'
import type { VaultScope } from '../../domain/access/grant.ts'
import type { Listed, Page } from '../../domain/base/page.ts'
import { timeOf } from '../../domain/base/unix-time.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import type { DetailedEntry, QueueEntry, QueueFilter } from '../../domain/review/queue.ts'
import { overdueBefore } from '../../domain/review/review-target.ts'
import type { Database } from '../connection/database.ts'
import { inScope } from '../connection/in-scope.ts'
import { ASSIGNMENT, assignedTo, UNASSIGNED } from './assignment.ts'
import { COUNTRY_HASH, hasCountry, hashCountries, hasRiskLevel } from './filter-conditions.ts'
import { addDetails, readQueueDuplicates, readSettings } from './queue-details.ts'

type Time = 'waitingSince' | 'createdAt' | 'assignedUntil'

/** An entry as selected, with times in Unix seconds. */
type Row = Omit<QueueEntry, Time> & {
  readonly [K in Time]: number | (null extends QueueEntry[K] ? null : never)
}

const entryOf = ({ waitingSince, createdAt, assignedUntil, pending, ...row }: Row): QueueEntry => ({
  ...row,
  waitingSince: timeOf(waitingSince),
  createdAt: timeOf(createdAt),
  assignedUntil: timeOf(assignedUntil),
  pending: pending && { kind: pending.kind, by: pending.by },
})

/** Returns the entries of a query that selects `kind` and `ENTRY`. */
export const readEntries = async ({ orm }: Database, query: SQL): Promise<QueueEntry[]> =>
  (await orm.execute<Row & Record<string, unknown>>(query)).map(entryOf)

/** The columns of an entry, which exist in both tables. */
export const ENTRY = sql`id, vault_id AS "vaultId", status, version, waiting_on AS "waitingOn",
  floor(extract(epoch FROM waiting_since))::int AS "waitingSince",
  floor(extract(epoch FROM created_at))::int AS "createdAt", open_hits AS "openHits",
  confirmed_hits AS "confirmedHits", pending, ${ASSIGNMENT}`

/**
 * The conditions of the partial indexes for each scope of a filter. The queries repeat them, so that PostgreSQL can use
 * the indexes.
 */
export const SCOPES = {
  kyb: { waiting: sql`status = 'open'`, hits: HITS_OF_COMPANIES, pending: PENDING },
  identification: { waiting: sql`waiting_on <> 'nobody'`, hits: HITS_OF_PERSONS, pending: PENDING },
} as const
type Scope = keyof (typeof SCOPES)[Entity]

/** Returns the scopes of a filter. Hits and pending decisions are shown regardless of the party that acts next. */
function scopesOf({ hits, secondReviewBy }: QueueFilter): readonly Scope[] {
  const scopes = [
    ...(hits ? ['hits' as const] : []),
    ...(secondReviewBy === undefined ? [] : ['pending' as const]),
  ]
  return scopes.length > 0 ? scopes : ['waiting']
}

function conditionsOf(filter: QueueFilter): SQL[] {
  const { waitingOn, scope, status, waitingLongerThan, assigned, notDecidedBy, secondReviewBy } = filter
  const conditions: SQL[] = []
  if (scopesOf(filter).includes('waiting')) conditions.push(sql`waiting_on = ${waitingOn}`)
  conditions.push(inScope(sql`vault_id`, scope))
  if (status !== undefined) conditions.push(sql`status = ${status}`)
  if (waitingLongerThan !== undefined)
    conditions.push(sql`waiting_since < now() - ${waitingLongerThan} * interval '1 second'`)
  if (assigned) conditions.push(assigned.to === null ? UNASSIGNED : assignedTo(assigned.to))
  if (notDecidedBy !== undefined) conditions.push(sql`(pending IS NULL OR pending->>'by' <> ${notDecidedBy})`)
  if (secondReviewBy !== undefined) conditions.push(sql`pending->>'by' <> ${secondReviewBy}`)
  return conditions
}

/** Returns the condition for cases that have waited longer than their vault's review target. */
async function overdueCondition({ orm }: Database): Promise<SQL> {
  const hours = vaults.reviewTargetHours
  const targets = await orm.select({ hours }).from(vaults).groupBy(hours).orderBy(asc(hours))
  const now = new Date()
  const limits = targets.map(
    (target) => [target.hours, overdueBefore(now, target.hours).toISOString()] as const,
  )
  const [, latest = now.toISOString()] = limits[0] ?? []
  // The index can serve only one limit, the latest. The last condition then applies the limit of each vault.
  return sql`waiting_on = 'operator' AND waiting_since < ${latest}::timestamptz AND waiting_since < (
    SELECT (${JSON.stringify(Object.fromEntries(limits))}::jsonb ->> review_target_hours::text)::timestamptz
    FROM vaults WHERE vaults.id = vault_id)`
}

/** Returns a FROM clause for each table that the filter covers, with the filter's conditions. */
async function tablesOf(db: Database, filter: QueueFilter): Promise<Part[]> {
  const matching = [...conditionsOf(filter), ...(filter.isOverdue ? [await overdueCondition(db)] : [])]
  const fromOf = (kind: Entity, table: SQL) => {
    const conditions = [
      ...matching,
      ...scopesOf(filter).map((scope) => SCOPES[kind][scope]),
      ...(filter.country === undefined ? [] : [hasCountry(db, kind, filter.country)]),
      ...(filter.riskLevel === undefined ? [] : [hasRiskLevel(db, kind, filter.riskLevel)]),
    ]
    return { kind, from: sql`FROM ${table} WHERE ${sql.join(conditions, sql` AND `)}` }
  }
  return [fromOf('kyb', sql`kyb_applications`), fromOf('identification', sql`identifications`)].filter(
    ({ kind }) => filter.kind === undefined || filter.kind === kind,
  )
}

/** Returns entries without encrypted data, starting with the longest wait unless the filter has another order. */
export async function readQueue(
  db: Database,
  { limit, offset = 0 }: { limit: number; offset?: number },
  filter: QueueFilter,
): Promise<QueueEntry[]> {
  const column = sql`waiting_since`
  const parts = await tablesOf(db, filter)
  return readEntries(
    db,
    selectPage(parts, { column, isNewestFirst: filter.isNewestFirst === true, limit, offset }),
  )
}

export interface Part {
  readonly kind: Entity
  readonly from: SQL
}

/** Returns the query for a page from both tables. An index sorts each table by the column. */
export function selectPage(
  parts: readonly Part[],
  asked: { column: SQL; isNewestFirst: boolean; limit: number; offset: number },
): SQL {
  const { column, isNewestFirst, limit, offset } = asked
  const order = isNewestFirst ? sql`sorted_by DESC, id DESC` : sql`sorted_by, id`
  const first = parts.map(
    ({ kind, from }) => sql`(SELECT ${kind} AS kind, ${ENTRY}, ${column} AS sorted_by ${from}
      ORDER BY ${order} LIMIT ${offset + limit})`,
  )
  return sql`
    SELECT kind, id, "vaultId", status, version, "waitingOn", "waitingSince", "createdAt", "openHits",
      "confirmedHits", pending, "assignedTo", "assignedUntil"
    FROM (${sql.join(first, sql` UNION ALL `)}) AS entries
    ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`
}

/** Returns the number of entries. Counts at most `most` entries of each kind. */
export async function countQueue(db: Database, filter: QueueFilter, most?: number): Promise<number> {
  return countIn(db, await tablesOf(db, filter), most)
}

/** Returns the number of rows. Counts at most `most` rows of each part. */
export async function countIn(db: Database, parts: readonly Part[], most?: number): Promise<number> {
  const upTo = most === undefined ? sql`` : sql` LIMIT ${most}`
  const counts = parts.map(({ from }) => sql`(SELECT count(*) FROM (SELECT 1 ${from}${upTo}) AS counted)`)
  const [total] = await db.orm.execute<{ count: number }>(
    sql`SELECT (${sql.join(counts, sql` + `)})::int AS count`,
  )
  return total?.count ?? 0
}

/** Lists a page of the queue. Finds duplicates in the vaults of `scope`, which can be more than those of the filter. */
export async function listQueue(
  db: Database,
  { page, per_page }: Page,
  filter: QueueFilter,
  scope: VaultScope,
): Promise<Listed<DetailedEntry>> {
  const rows = await readQueue(db, { limit: per_page, offset: (page - 1) * per_page }, filter)
  const duplicates = await readQueueDuplicates(db, rows, scope)
  return {
    entries: await addDetails(db, rows, await readSettings(db, rows), duplicates),
    totalCount: await countQueue(db, filter),
  }
}

/** Returns at most 100 operators to whom cases in the scope are currently assigned. */
export async function readAssignees(db: Database, scope: VaultScope): Promise<string[]> {
  const from = (table: string) =>
    sql`(SELECT DISTINCT assigned_to FROM ${sql.identifier(table)}
      WHERE assigned_to IS NOT NULL AND assigned_until > now() AND ${inScope(sql`vault_id`, scope)})`
  const rows = await db.orm.execute<{ assigned_to: string }>(
    sql`${from('kyb_applications')} UNION ${from('identifications')} ORDER BY assigned_to LIMIT 100`,
  )
  return rows.map((row) => row.assigned_to)
}

/** The maximum number of cases of each kind whose countries are read. */
const MAX_COUNTRY_CASES = 2_000

/** Returns the countries of the cases that match the filter, as the list shows them. Reads only the longest waits. */
export async function readCountries(db: Database, filter: QueueFilter): Promise<string[]> {
  const parts = await tablesOf(db, { ...filter, country: undefined, riskLevel: undefined })
  return readCountriesIn(db, parts, sql`waiting_since`)
}

/** Returns the countries of the first cases of each part in this order. */
export async function readCountriesIn(db: Database, parts: readonly Part[], order: SQL): Promise<string[]> {
  const found = parts.map(
    ({ kind, from }) => sql`(SELECT ${COUNTRY_HASH[kind]} AS hash ${from}
      ORDER BY ${order} LIMIT ${MAX_COUNTRY_CASES})`,
  )
  const rows = await db.orm.execute<{ hash: string | null }>(
    sql`SELECT DISTINCT hash FROM (${sql.join(found, sql` UNION ALL `)}) AS found`,
  )
  const { countries } = hashCountries(db)
  return rows.flatMap(({ hash }) => countries.get(hash ?? '') ?? []).sort()
}
