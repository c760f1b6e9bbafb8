/**
 * Adapts the pool and its connections to Drizzle. The result, a handle, sends the queries of one span. Its copies for
 * other spans share the prepared statements of their origin.
 */
import { is } from 'drizzle-orm'
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
  unsafe(text: string, parameters: unknown[]): Promise<unknown[]>
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

/** Returns a prepared statement that runs on this handle. It was built for the origin of the handle. */
export function statementOn<Statement extends object>(orm: Orm, statement: Statement): Statement {
  if (originOf(orm) === orm) return statement
  const { client } = (orm as unknown as Internals).session
  return Object.assign(Object.create(Object.getPrototypeOf(statement)), statement, { client })
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
