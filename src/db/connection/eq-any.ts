/** Compares a column with a list in a statement whose text does not depend on the length of the list. */
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'

/**
 * Compares a column with a list. Connections keep every prepared statement. With `inArray`, they would keep one for
 * each length of the list.
 */
export const eqAny = (column: AnyPgColumn, values: readonly string[] | Placeholder): SQL =>
  sql`${column} = ANY(${sql.param(values)})`
