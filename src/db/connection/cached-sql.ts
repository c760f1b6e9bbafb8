/**
 * Statements of SQL whose text is built once, because building it can take more time than the query. Placeholders
 * (`sql.placeholder`) stand for their values.
 */
import { fillPlaceholders, type Query, type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { inCamelCase, type SnakeCase } from '../../domain/base/camel-case.ts'
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

/** The types of the columns that contain fields of the rows. A column has the field's name, in snake case. */
type Columns<Row> = { readonly [Field in keyof Row & string as SnakeCase<Field>]?: string }

/**
 * Describes rows that a statement takes as one array per column, so that its text does not depend on their number.
 * Statements read them from `from`, or from `of(rows)` if their text is not cached.
 */
export function createRowArrays<Row>(name: string, columns: Columns<Row>) {
  const all = Object.entries(columns as Readonly<Record<string, string>>).map(([column, type]) => {
    const field = inCamelCase(column) as keyof Row
    return {
      type: sql.raw(type),
      placeholder: `${name}.${column}`,
      // The driver would send undefined as a text.
      valuesOf: (rows: readonly Row[]) => rows.map((row) => row[field] ?? null),
    }
  })
  const alias = sql.raw(`${name} (${Object.keys(columns).join(', ')})`)
  // Read by a subquery, arrays do not change the plan, so that PostgreSQL keeps it instead of planning each time.
  const fromArrays = (arrayOf: (each: (typeof all)[number]) => unknown): SQL => {
    const arrays = all.map((each) => sql`(SELECT ${arrayOf(each)}::${each.type}[])`)
    return sql`unnest(${sql.join(arrays, sql`, `)}) AS ${alias}`
  }
  return {
    from: fromArrays(({ placeholder }) => sql.placeholder(placeholder)),
    of: (rows: readonly Row[]) => fromArrays(({ valuesOf }) => sql.param(valuesOf(rows))),
    /** The values for the placeholders of `from`. */
    values: (rows: readonly Row[]) =>
      Object.fromEntries(all.map(({ placeholder, valuesOf }) => [placeholder, valuesOf(rows)])),
  }
}
