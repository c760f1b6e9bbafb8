/** Conditions on lists of any length, in a text that does not grow with the list. */
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'

/** Connections keep every text they have planned: with `inArray` they would keep one for each length. */
export const eqAny = (column: AnyPgColumn, values: readonly string[] | Placeholder): SQL =>
  sql`${column} = ANY(${sql.param(values)})`
