/**
 * Queries for the list of all cases, which are applications or identifications without an application, newest first.
 */
import { type SQL, sql } from 'drizzle-orm'
import { APPLIED } from '../../../drizzle/schema.ts'
import type { VaultScope } from '../../domain/access/grant.ts'
import { timeOf } from '../../domain/base/unix-time.ts'
import type { Party } from '../../domain/decision/review-progress.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import type { CaseFilter, CaseStatus, Decided, QueueEntry } from '../../domain/review/queue.ts'
import { identificationWaitsOn } from '../cases/review-progress.ts'
import type { Database } from '../connection/database.ts'
import { inScope } from '../connection/in-scope.ts'
import { hashFact } from './filter-columns.ts'
import { hasRiskLevel } from './filter-conditions.ts'
import { countIn, type Part, readCountriesIn, readEntries, selectPage } from './queue.ts'

const WITH_REVIEWERS = sql`waiting_on IN ('operator', 'provider')`
const UNDECIDED = sql`verification IN ('initiated', 'attention')`

const STATUSES: Readonly<Record<Entity, Readonly<Record<CaseStatus, SQL>>>> = {
  kyb: {
    open: sql`status = 'open'`,
    in_review: sql`status = 'open' AND ${WITH_REVIEWERS}`,
    with_applicant: sql`status = 'open' AND NOT ${WITH_REVIEWERS}`,
    approved: sql`review_outcome = 'approved'`,
    rejected: sql`review_outcome = 'rejected'`,
    closed: sql`status = 'abandoned'`,
  },
  identification: {
    open: UNDECIDED,
    in_review: sql`${UNDECIDED} AND ${WITH_REVIEWERS}`,
    with_applicant: sql`${UNDECIDED} AND NOT ${WITH_REVIEWERS}`,
    approved: sql`verification = 'approved'`,
    rejected: sql`verification = 'rejected'`,
    closed: sql`verification = 'closed'`,
  },
}

const waitsOn = (entity: Entity, party: Party, scope: VaultScope): SQL =>
  entity === 'kyb' ? sql`waiting_on = ${party}` : identificationWaitsOn(party, inScope(sql`vault_id`, scope))

/** Returns a FROM clause for each table that the filter covers. */
function partsOf(db: Database, filter: CaseFilter): Part[] {
  const { kind, scope, status, waitingOn, notWaitingOn, country, riskLevel } = filter
  const fromOf = (each: Entity, table: SQL) => {
    const conditions = [
      each === 'kyb' ? sql`true` : APPLIED,
      inScope(sql`vault_id`, scope),
      ...(status === undefined ? [] : [STATUSES[each][status]]),
      ...(waitingOn === undefined ? [] : [waitsOn(each, waitingOn, scope)]),
      ...(notWaitingOn === undefined ? [] : [sql`NOT (${waitsOn(each, notWaitingOn, scope)})`]),
      // These identifications have no application that could contain the country.
      ...(country === undefined ? [] : [sql`country_hash = ${hashFact(db, country)}`]),
      ...(riskLevel === undefined ? [] : [hasRiskLevel(db, each, riskLevel)]),
    ]
    return { kind: each, from: sql`FROM ${table} WHERE ${sql.join(conditions, sql` AND `)}` }
  }
  const parts = [fromOf('kyb', sql`kyb_applications`), fromOf('identification', sql`identifications`)]
  return parts.filter((part) => kind === undefined || part.kind === kind)
}

/** Returns cases without encrypted data, newest first unless the filter has another order. */
export const readCases = (
  db: Database,
  page: { readonly limit: number; readonly offset: number },
  filter: CaseFilter,
): Promise<QueueEntry[]> =>
  readEntries(
    db,
    selectPage(partsOf(db, filter), {
      column: sql`created_at`,
      isNewestFirst: !filter.isOldestFirst,
      ...page,
    }),
  )

/** Returns the number of cases. Counts at most `most` cases of each kind. */
export const countCases = (db: Database, filter: CaseFilter, most: number): Promise<number> =>
  countIn(db, partsOf(db, filter), most)

/** Returns the countries of the newest cases that match the rest of the filter. */
export const readCaseCountries = (db: Database, filter: CaseFilter): Promise<string[]> => {
  const parts = partsOf(db, { ...filter, country: undefined, riskLevel: undefined })
  return readCountriesIn(db, parts, sql`created_at DESC`)
}

/** Returns who approved or rejected each of the cases, and when, keyed by ID. */
export async function readDecided(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Decided>> {
  if (ids.length === 0) return new Map()
  const rows = await db.orm.execute<{ id: string; by: string; at: number; confirmed_by: string | null }>(sql`
    SELECT decision.entity_id AS id, decision.actor AS by,
      floor(extract(epoch FROM decision.created_at))::int AS at,
      (SELECT actor FROM timeline WHERE entity_id = decision.entity_id AND action = 'confirm'
        AND id BETWEEN decision.id - 10 AND decision.id ORDER BY id DESC LIMIT 1) AS confirmed_by
    FROM unnest(${sql.param(ids)}::uuid[]) AS entity (id) CROSS JOIN LATERAL (
      SELECT entity_id, id, actor, created_at FROM timeline
      WHERE entity_id = entity.id AND action IN ('approve', 'approve_incomplete', 'reject')
      ORDER BY id DESC LIMIT 1) AS decision
    ORDER BY decision.entity_id`)
  return new Map(
    rows.map(({ id, by, at, confirmed_by }) => [
      id,
      { by: [by, ...(confirmed_by === null ? [] : [confirmed_by])], at: timeOf(at) },
    ]),
  )
}
