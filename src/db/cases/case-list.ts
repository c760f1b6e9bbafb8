/**
 * Queries for the list of all cases, which are applications or identifications without an application, newest first.
 */
import { type SQL, sql } from 'drizzle-orm'
import { APPLIED } from '../../../drizzle/schema.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import type { CaseFilter, CaseStatus, TitledEntry } from '../../domain/review/queue.ts'
import type { Database } from '../connection/database.ts'
import { inScope } from '../connection/in-scope.ts'
import { readEntries, selectPage } from './queue.ts'
import { addTitles } from './title.ts'

const STATUSES: Readonly<Record<Entity, Readonly<Record<CaseStatus, SQL>>>> = {
  kyb: {
    open: sql`status = 'open'`,
    approved: sql`review_outcome = 'approved'`,
    rejected: sql`review_outcome = 'rejected'`,
    closed: sql`status = 'abandoned'`,
  },
  identification: {
    open: sql`verification IN ('initiated', 'attention')`,
    approved: sql`verification = 'approved'`,
    rejected: sql`verification = 'rejected'`,
    closed: sql`verification = 'closed'`,
  },
}

/** Returns cases with their names, newest first. */
export async function readCases(
  db: Database,
  page: { readonly limit: number; readonly offset: number },
  { kind, scope, status }: CaseFilter,
): Promise<TitledEntry[]> {
  const fromOf = (each: Entity, table: SQL) => {
    const conditions = [
      each === 'kyb' ? sql`true` : APPLIED,
      inScope(sql`vault_id`, scope),
      ...(status === undefined ? [] : [STATUSES[each][status]]),
    ]
    return { kind: each, from: sql`FROM ${table} WHERE ${sql.join(conditions, sql` AND `)}` }
  }
  const parts = [fromOf('kyb', sql`kyb_applications`), fromOf('identification', sql`identifications`)]
  const asked = parts.filter((part) => kind === undefined || part.kind === kind)
  const column = sql`created_at`
  return addTitles(db, await readEntries(db, selectPage(asked, { column, isNewestFirst: true, ...page })))
}
