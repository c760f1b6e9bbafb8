/**
 * Adapts the pool and its connections to Drizzle. The result, a handle, sends the queries of one span. All handles share
 * the prepared statements.
 */
import { Column, fillPlaceholders, getTableName, is } from 'drizzle-orm'
import { type PgDialect, PgTransaction } from 'drizzle-orm/pg-core'
import {
  drizzle,
  type PostgresJsDatabase,
  PostgresJsSession,
  PostgresJsTransaction,
} from 'drizzle-orm/postgres-js'
import type postgres from 'postgres'
import { inSpan, type Span } from '../../process/span.ts'
import type { Connection } from './connection.ts'
import type { Pool } from './pool.ts'
import { nameStatement } from './statement-name.ts'

/** The part of the driver's client that Drizzle uses. */
interface Client {
  unsafe(
    text: string,
    parameters: unknown[],
  ): Promise<unknown[]> & { readonly values: () => Promise<unknown[]> }
  /** Returns a client whose queries belong to another span. */
  within(span: Span): Client
}

/** The part of Drizzle's handle that queries use. */
export type Orm = Pick<
  PostgresJsDatabase,
  'select' | 'insert' | 'update' | 'delete' | 'execute' | 'transaction' | 'with' | '$with' | '$count'
>

const ormOf = (client: Client) => drizzle({ client: client as unknown as postgres.Sql })

/** Returns a handle whose queries use the connections of the pool. */
export const ormOfPool = (pool: Pool, span: Span) => ormOf(clientOfPool(pool, span))

export const isTransaction = (orm: Orm): boolean => is(orm, PgTransaction)

const clientOfPool = (pool: Pool, span: Span): Client & Record<'begin', unknown> => ({
  ...clientOf((...query) => pool.use((connection) => connection.query(...query)), span),
  begin: <T>(work: (client: Client) => Promise<T>) =>
    pool.use((connection) => inTransaction(connection, OUTERMOST, span, work)),
  within: (other) => clientOfPool(pool, other),
})

/** The parts of Drizzle's handle that its types hide. */
interface Internals {
  readonly dialect: PgDialect
  readonly session: { readonly client: Client }
}

/** Maps the handle of a span to the handle from which it was created. */
const origins = new WeakMap<Orm, Orm>()

/** Returns the handle from which the handle of a span was created, or the handle itself. */
export const originOf = (orm: Orm): Orm => origins.get(orm) ?? orm

export function ormWithin(orm: Orm, span: Span): Orm {
  const { dialect, session } = orm as unknown as Internals
  const client = session.client.within(span)
  const copy: Orm = isTransaction(orm)
    ? new PostgresJsTransaction(
        dialect,
        new PostgresJsSession(client as never, dialect, undefined),
        undefined,
      )
    : ormOf(client)
  origins.set(copy, originOf(orm))
  return copy
}

/** The parts of a prepared statement that Drizzle's types hide. */
interface Prepared {
  readonly queryString: string
  readonly params: unknown[]
  /** The selected values in order. `path` is the name in the row, after that of its group if it has one. */
  readonly fields: readonly { readonly path: readonly string[]; readonly field: Field }[]
  /** Whether a joined table has a row for each result. */
  readonly joinsNotNullableMap?: Readonly<Record<string, boolean>>
}

type Decoder = Pick<Column, 'mapFromDriverValue'>
type Field = Column | { readonly decoder: Decoder } | { readonly sql: { readonly decoder: Decoder } }

export type Statement<Row> = (orm: Orm, values: Readonly<Record<string, unknown>>) => Promise<Row[]>

/**
 * Returns a function that runs a prepared statement on any handle. Its rows are those of Drizzle, which would search
 * for the decoder of each value.
 */
export function statementOf<Row>(prepared: { execute(): Promise<Row[]> }): Statement<Row> {
  const { queryString, params, fields, joinsNotNullableMap } = prepared as unknown as Prepared
  const columns = fields.map(({ path: [group = '', name], field }, index) => ({
    group: name === undefined ? null : group,
    name: name ?? group,
    index,
    table: is(field, Column) ? getTableName(field.table) : null,
    decoder: is(field, Column) ? field : 'decoder' in field ? field.decoder : field.sql.decoder,
  }))
  const groups = [...new Set(columns.map(({ group }) => group))].map((group) => {
    const own = columns.filter((each) => each.group === group)
    const [first, ...others] = own.filter(({ table }) => table !== null)
    const isOptional =
      joinsNotNullableMap !== undefined &&
      !joinsNotNullableMap[first?.table ?? ''] &&
      others.every(({ table }) => table === first?.table)
    // Like Drizzle, makes a group null if this value is null.
    return { group, own, key: isOptional ? first?.index : undefined }
  })
  const read = (row: readonly unknown[]) => {
    const result: Record<string, unknown> = {}
    for (const { group, own, key } of groups) {
      const values: Record<string, unknown> = group === null ? result : {}
      if (group !== null) result[group] = key !== undefined && row[key] === null ? null : values
      for (const { name, index, decoder } of own) {
        const value = row[index]
        values[name] = value === null ? null : decoder.mapFromDriverValue(value)
      }
    }
    return result as Row
  }
  return async (orm, values) => {
    const { client } = (orm as unknown as Internals).session
    const rows = await client.unsafe(queryString, fillPlaceholders(params, values)).values()
    return rows.map((row) => read(row as unknown[]))
  }
}

/** Runs a statement whose text Drizzle need not build. */
export const runText = <Row>(orm: Orm, text: string, parameters: unknown[]): Promise<Row[]> =>
  (orm as unknown as Internals).session.client.unsafe(text, parameters) as Promise<Row[]>

function clientOf(run: Connection['query'], span: Span) {
  const query: Connection['query'] =
    span.traceparent === null
      ? run
      : (text, ...more) => inSpan(span, nameStatement(text), STATEMENT, () => run(text, ...more))
  return {
    options: { parsers: {}, serializers: {} },
    unsafe(text: string, parameters: unknown[]) {
      let asArrays = false
      // Drizzle calls `values()` right after this call, so the query starts one microtask later.
      const rows = Promise.resolve().then(() => query(text, parameters, asArrays))
      const values = () => {
        asArrays = true
        return rows
      }
      return Object.assign(rows, { values })
    },
  }
}

const STATEMENT = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const

const OUTERMOST = { begin: 'BEGIN', commit: 'COMMIT', rollback: 'ROLLBACK' }
const INNER = {
  begin: 'SAVEPOINT inner_transaction',
  commit: 'RELEASE inner_transaction',
  rollback: 'ROLLBACK TO inner_transaction; RELEASE inner_transaction',
}

async function inTransaction<T>(
  connection: Connection,
  { begin, commit, rollback }: typeof OUTERMOST,
  span: Span,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  let ended = false
  /** Runs a query. Refuses queries after the end of the transaction, because other work may then use the connection. */
  const query: Connection['query'] = async (...given) => {
    if (ended) throw new Error('the transaction has ended')
    return connection.query(...given)
  }
  const clientWithin = (own: Span): Client & Record<'savepoint', unknown> => ({
    ...clientOf(query, own),
    savepoint: <U>(inner: (client: Client) => Promise<U>) =>
      inTransaction({ ...connection, query }, INNER, own, inner),
    within: clientWithin,
  })
  await connection.query(begin, [])
  try {
    const result = await work(clientWithin(span))
    ended = true
    await (span.traceparent === null
      ? connection.query(commit, [])
      : inSpan(span, commit, STATEMENT, () => connection.query(commit, [])))
    return result
  } catch (error) {
    ended = true
    // If the rollback fails, closing the connection makes the server roll back.
    await connection.query(rollback, []).catch(connection.drop)
    throw error
  }
}
