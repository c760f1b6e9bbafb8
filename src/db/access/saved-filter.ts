/** Queries for the queue filters that operators save under names. */
import { and, asc, eq, sql } from 'drizzle-orm'
import { savedFilters } from '../../../drizzle/schema.ts'
import type { SavedFilter } from '../../domain/access/saved-filter.ts'
import type { Database } from '../connection/database.ts'

/** The maximum number of filters per operator. It is small because the queue page counts the cases of each filter. */
const MAX_FILTERS = 12

export const listSavedFilters = (db: Database, userId: string): Promise<SavedFilter[]> =>
  db.orm
    .select({ name: savedFilters.name, query: savedFilters.query })
    .from(savedFilters)
    .where(eq(savedFilters.userId, userId))
    .orderBy(asc(savedFilters.name))
    .limit(MAX_FILTERS)

/**
 * Saves a filter, which replaces any filter with the same name. Returns false if the operator has the maximum number of
 * filters.
 */
export async function saveFilter(db: Database, userId: string, { name, query }: SavedFilter) {
  const others = sql`SELECT count(*) FROM ${savedFilters}
    WHERE ${savedFilters.userId} = ${userId} AND ${savedFilters.name} <> ${name}`
  const { count } = await db.orm.execute(sql`
    INSERT INTO ${savedFilters} (user_id, name, query)
    SELECT ${userId}::uuid, ${name}, ${query} WHERE (${others}) < ${MAX_FILTERS}
    ON CONFLICT (user_id, name) DO UPDATE SET query = excluded.query`)
  return count === 1
}

export async function deleteSavedFilter(db: Database, userId: string, name: string): Promise<void> {
  await db.orm.delete(savedFilters).where(and(eq(savedFilters.userId, userId), eq(savedFilters.name, name)))
}
