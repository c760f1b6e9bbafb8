/**
 * Statements of SQL whose text is built once, because building it can take more time than the query. Placeholders
 * (`sql.placeholder`) stand for their values.
 */
import { fillPlaceholders, type Query, type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Database } from './database.ts'
import { runText } from './orm.ts'

const dialect = new PgDialect()

export function cacheSql<Row extends object>(
  query: SQL,
): (db: Database, values: Readonly<Record<string, unknown>>) => Promise<Row[]> {
  let built: Query | undefined
  return ({ orm }, values) => {
    built ??= dialect.sqlToQuery(query)
    return runText(orm, built.sql, fillPlaceholders(built.params, values))
  }
}

/** The columns of an array of rows: the type of each, and its value. */
type Columns<Row> = Readonly<Record<string, readonly [type: string, read: (row: Row) => unknown]>>

/**
 * Describes rows that a statement takes as one array per column, so that its text does not depend on their number.
 * Statements read them from `from`, or from `of(rows)` if their text is not cached.
 */
export function createRowArrays<Row>(name: string, columns: Columns<Row>) {
  const all = Object.entries(columns)
  // Read by a subquery, arrays do not change the plan, so that PostgreSQL keeps it instead of planning each time.
  const fromArrays = (arrayOf: (column: string, read: (row: Row) => unknown) => unknown): SQL => {
    const arrays = all.map(
      ([column, [type, read]]) => sql`(SELECT ${arrayOf(column, read)}::${sql.raw(type)}[])`,
    )
    return sql`unnest(${sql.join(arrays, sql`, `)}) AS ${sql.raw(`${name} (${Object.keys(columns).join(', ')})`)}`
  }
  const placeholderOf = (column: string) => `${name}.${column}`
  return {
    from: fromArrays((column) => sql.placeholder(placeholderOf(column))),
    of: (rows: readonly Row[]) => fromArrays((_, read) => sql.param(rows.map(read))),
    /** The values for the placeholders of `from`. */
    values: (rows: readonly Row[]) =>
      Object.fromEntries(all.map(([column, [, read]]) => [placeholderOf(column), rows.map(read)])),
  }
}
