/** The connection to PostgreSQL, which every query takes as its first parameter. */
import { is, sql } from 'drizzle-orm'
import { type PgDialect, PgTransaction } from 'drizzle-orm/pg-core'
import {
  drizzle,
  type PostgresJsDatabase,
  PostgresJsSession,
  PostgresJsTransaction,
} from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import type { Logger } from '../../process/log.ts'
import { inSpan, NO_SPAN, type Span } from '../../process/span.ts'
import type { Encryption } from '../../storage/encryption.ts'
import { type Connection, createConnection, READ_ONLY } from './connection.ts'
import { createPool, type Pool } from './pool.ts'
import { nameStatement } from './statement-name.ts'

/** A connection or a transaction, with the keys of the encrypted columns. */
export interface Database {
  readonly orm: Pick<
    PostgresJsDatabase,
    'select' | 'insert' | 'update' | 'delete' | 'execute' | 'transaction' | 'with' | '$with' | '$count'
  >
  readonly encryption: Encryption
  /** The span to which the queries belong. */
  readonly span: Span
}

export interface DatabasePool extends Database {
  readonly orm: Database['orm'] & { readonly $client: postgres.Sql }
  readonly usage: Pool['usage']
  /** Closes the pool once the queries in progress have ended. */
  end(): Promise<void>
}

interface DatabaseOptions {
  readonly connections?: number
  readonly queryMs?: number
  readonly span?: Span
}

/**
 * Opens a pool. Its connections are established at their first queries. PostgreSQL cancels a query after `queryMs`. A
 * query or a whole transaction fails after `queryMs` plus 500 ms. This time includes the wait for a connection.
 */
export function connectDatabase(
  url: string,
  encryption: Encryption,
  log: Logger,
  { connections = 20, queryMs = 4_000, span = NO_SPAN }: DatabaseOptions = {},
): DatabasePool {
  const onLost = () => log.warn('connection to PostgreSQL was lost')
  const pool = createPool(() => createConnection(url, queryMs, onLost), connections, queryMs + 500)
  return { orm: ormOf(clientOfPool(pool, span)), encryption, span, usage: pool.usage, end: pool.end }
}

/** The part of the driver's client that Drizzle uses. */
interface Client {
  unsafe(text: string, parameters: unknown[]): Promise<unknown[]>
  /** Returns a client whose queries belong to another span. */
  within(span: Span): Client
}

const ormOf = (client: Client) => drizzle({ client: client as unknown as postgres.Sql })

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
const origins = new WeakMap<Database['orm'], Database['orm']>()

/** Returns a copy of the handle whose queries belong to the span. */
export function withSpan(db: Database, span: Span): Database {
  if (span === db.span) return db
  const { dialect, session } = db.orm as unknown as Internals
  const client = session.client.within(span)
  const made = is(db.orm, PgTransaction)
    ? new PostgresJsTransaction(
        dialect,
        new PostgresJsSession(client as never, dialect, undefined),
        undefined,
      )
    : ormOf(client)
  const orm = made as Database['orm']
  origins.set(orm, origins.get(db.orm) ?? db.orm)
  return { ...db, orm, span }
}

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

/** Creates a value once for each pool. The handles of all spans share it. Each transaction creates its own value. */
export function createPerPool<T>(create: (orm: Database['orm']) => T): (db: Database) => T {
  const created = new WeakMap<Database['orm'], T>()
  return ({ orm }) => {
    const origin = origins.get(orm) ?? orm
    const value = created.get(origin) ?? create(origin)
    created.set(origin, value)
    return value
  }
}

/**
 * Builds a prepared statement once for each pool, because building it can take more time than the query. The handle of
 * a span uses a copy that runs in the span.
 */
export function cacheStatement<Statement extends object>(
  build: (orm: Database['orm']) => Statement,
): (db: Database) => Statement {
  const builtFor = createPerPool(build)
  return (db) => {
    const statement = builtFor(db)
    if (!origins.has(db.orm)) return statement
    const { client } = (db.orm as unknown as Internals).session
    return Object.assign(Object.create(Object.getPrototypeOf(statement)), statement, { client })
  }
}

/** Runs `work` in one transaction, which is committed if `work` succeeds and rolled back if it throws. */
export const transaction = <T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> =>
  db.orm.transaction((orm) => work({ orm, encryption: db.encryption, span: db.span }))

/**
 * Runs `work` without a transaction, because its only write is one statement. Inside a transaction, `work` gets a
 * savepoint, so that its failure does not abort the transaction.
 */
export const runOneStatement = <T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> =>
  is(db.orm, PgTransaction) ? transaction(db, work) : work(db)

/** Returns the PostgreSQL error that made a query fail, or null if the failure has another cause. */
export function findDatabaseError(error: unknown): postgres.PostgresError | null {
  for (let e: unknown = error; e instanceof Error; e = e.cause)
    if (e instanceof postgres.PostgresError) return e
  return null
}

/** Returns the name of the unique constraint that a query violated, or null if the query failed for another reason. */
export function violatedConstraint(error: unknown): string | null {
  const failure = findDatabaseError(error)
  return failure?.code === '23505' ? (failure.constraint_name ?? null) : null
}

/** The connection errors of the driver and of the network. */
const CONNECTION_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'EADDRNOTAVAIL',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EMFILE',
  'ENFILE',
  'ENETUNREACH',
  'ENOBUFS',
  'ENOENT',
  'ENOMEM',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

/**
 * Returns true for connection errors. A file error has a path and does not count. ENOENT counts only if PostgreSQL's
 * socket is missing.
 */
function isOfConnection({ code = '', path, syscall }: NodeJS.ErrnoException): boolean {
  return CONNECTION_CODES.has(code) && path === undefined && (code !== 'ENOENT' || syscall === 'connect')
}

/** The SQLSTATE of a statement that was cancelled because it took too long. */
export const CANCELLED = '57014'

/**
 * SQLSTATE classes of temporary failures: connection, rollback of a transaction, resources, operator
 * intervention, system errors, a read-only server and an idle transaction.
 */
const PASSING = new RegExp(`^(08|40|53|57|58|${READ_ONLY}|25P03)`)

/**
 * Returns true if a query failed because PostgreSQL is unavailable, overloaded or read-only, or refuses connections.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if (e instanceof postgres.PostgresError) return e.severity === 'FATAL' || PASSING.test(e.code)
    if (isOfConnection(e)) return true
  }
  return false
}

/**
 * Throws unless PostgreSQL is available and accepts writes. A read-only server causes the same error as a write would.
 */
export const requireDatabase = (db: Database) =>
  db.orm.execute(sql`DO $$ BEGIN
    IF current_setting('transaction_read_only')::boolean THEN RAISE read_only_sql_transaction; END IF;
  END $$`)
