/** Queries for a page of a vault's entities: the newest first, or the most recently changed first. */
import { desc, inArray, type Placeholder, type SQL } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Page } from '../../domain/base/page.ts'
import type { Database } from '../connection/database.ts'

type Listed = PgTable & Readonly<Record<'id' | 'createdAt' | 'updatedAt', AnyPgColumn>>

interface Slice {
  readonly limit: number | Placeholder
  readonly offset: number | Placeholder
}

export interface ChangeFilter {
  /** The earliest time of a change. If set, the result is sorted by the latest change, newest first. */
  readonly updatedSince?: Date | undefined
}

export const sliceOf = ({ page, per_page }: Page): Slice => ({
  limit: per_page,
  offset: (page - 1) * per_page,
})

export const isFiltered = (filter: object) => Object.values(filter).some((value) => value !== undefined)

/** Selects the IDs on the page first, so that the query reads related rows only for them. */
export function selectPage(
  orm: Database['orm'],
  table: Listed,
  where: SQL | undefined,
  { limit, offset }: Slice,
  { updatedSince }: ChangeFilter = {},
) {
  const { id, createdAt, updatedAt } = table
  const order = [desc(updatedSince ? updatedAt : createdAt), desc(id)]
  const shown = orm
    .select({ id })
    .from(table as PgTable)
    .where(where)
    .orderBy(...order)
    .limit(limit)
    .offset(offset)
  return { where: inArray(id, shown), order }
}
