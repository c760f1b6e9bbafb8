/** The connection to PostgreSQL that every query takes as its first parameter. */
import { is, sql } from 'drizzle-orm'
import { PgTransaction } from 'drizzle-orm/pg-core'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import type { Logger } from '../../process/log.ts'
import type { Encryption } from '../../storage/encryption.ts'
import { type Connection, openConnection, READ_ONLY } from './connection.ts'
import { createPool, type Pool } from './pool.ts'

/** What a query needs: a connection (or the transaction it belongs to) and the keys to sealed columns. */
export interface Database {
  readonly orm: Pick<
    PostgresJsDatabase,
    'select' | 'insert' | 'update' | 'delete' | 'execute' | 'transaction' | 'with' | '$with' | '$count'
  >
  readonly encryption: Encryption
}

export interface DatabasePool extends Database {
  readonly orm: Database['orm'] & { readonly $client: postgres.Sql }
  readonly usage: Pool['usage']
  /** Waits for what is under way. */
  end(): Promise<void>
}

/**
 * Nothing connects before the first query. PostgreSQL cancels a query that takes longer than `queryMs`; one, or
 * a whole transaction, that has not ended half a second later fails, whatever it waits for.
 */
export function openDatabase(
  url: string,
  encryption: Encryption,
  log: Logger,
  { connections = 20, queryMs = 4_000 }: { connections?: number; queryMs?: number } = {},
): DatabasePool {
  const onLost = () => log.warn('a connection to PostgreSQL was lost')
  const pool = createPool(() => openConnection(url, queryMs, onLost), connections, queryMs + 500)
  const client = {
    ...clientOf((...query) => pool.use((connection) => connection.query(...query))),
    begin: <T>(work: (client: object) => Promise<T>) =>
      pool.use((connection) => inTransaction(connection, OUTERMOST, work)),
  } as unknown as postgres.Sql
  return { orm: drizzle({ client }), encryption, usage: pool.usage, end: pool.end }
}

/** The part of the driver's client that Drizzle asks for. */
function clientOf(query: Connection['query']) {
  return {
    options: { parsers: {}, serializers: {} },
    unsafe(text: string, parameters: unknown[]) {
      let asArrays = false
      // Drizzle says right after the call how it wants the rows.
      const rows = Promise.resolve().then(() => query(text, parameters, asArrays))
      const values = () => {
        asArrays = true
        return rows
      }
      return Object.assign(rows, { values })
    },
  }
}

const OUTERMOST = { begin: 'BEGIN', commit: 'COMMIT', rollback: 'ROLLBACK' }
const INNER = {
  begin: 'SAVEPOINT inner_transaction',
  commit: 'RELEASE inner_transaction',
  rollback: 'ROLLBACK TO inner_transaction; RELEASE inner_transaction',
}

async function inTransaction<T>(
  connection: Connection,
  { begin, commit, rollback }: typeof OUTERMOST,
  work: (client: object) => Promise<T>,
): Promise<T> {
  let ended = false
  /** What goes on after the end is not part of it, and the connection belongs to others then. */
  const query: Connection['query'] = async (...given) => {
    if (ended) throw new Error('the transaction has ended')
    return connection.query(...given)
  }
  const savepoint = <U>(inner: (client: object) => Promise<U>) =>
    inTransaction({ ...connection, query }, INNER, inner)
  await connection.query(begin, [])
  try {
    const result = await work({ ...clientOf(query), savepoint })
    ended = true
    await connection.query(commit, [])
    return result
  } catch (error) {
    ended = true
    // Where even this fails the connection is lost, and the server rolls back.
    await connection.query(rollback, []).catch(connection.drop)
    throw error
  }
}

/** A statement whose text is built once for a pool; a transaction builds its own. */
export function cacheStatement<Statement>(
  build: (orm: Database['orm']) => Statement,
): (db: Database) => Statement {
  const built = new WeakMap<Database['orm'], Statement>()
  return ({ orm }) => {
    const statement = built.get(orm) ?? build(orm)
    built.set(orm, statement)
    return statement
  }
}

/** Runs `work` in one transaction: all of it is durable when this returns, nothing of it when it throws. */
export const transaction = <T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> =>
  db.orm.transaction((orm) => work({ orm, encryption: db.encryption }))

/**
 * Runs `work` that changes something by one statement only, which is durable as a whole or not at all by itself. Within
 * a transaction its failure does not fail that one.
 */
export const runOneStatement = <T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> =>
  is(db.orm, PgTransaction) ? transaction(db, work) : work(db)

/** The PostgreSQL error below a failed query, if it is one. */
export function findDatabaseError(error: unknown): postgres.PostgresError | null {
  for (let e: unknown = error; e instanceof Error; e = e.cause)
    if (e instanceof postgres.PostgresError) return e
  return null
}

/** The name of the unique constraint that a failed query violated, if that is why it failed. */
export function violatedConstraint(error: unknown): string | null {
  const failure = findDatabaseError(error)
  return failure?.code === '23505' ? (failure.constraint_name ?? null) : null
}

/** Of the driver and of the network. */
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

/** A file has a path, and may not be there either: then it is the file that is missing, not PostgreSQL's socket. */
function isOfConnection({ code = '', path, syscall }: NodeJS.ErrnoException): boolean {
  return CONNECTION_CODES.has(code) && path === undefined && (code !== 'ENOENT' || syscall === 'connect')
}

/** The code of a statement that took longer than it may. */
export const CANCELLED = '57014'

/** Connections, what changed at once, resources, an operator's intervention, disks, and one that was idle too long. */
const PASSING = new RegExp(`^(08|40|53|57|58|${READ_ONLY}|25P03)`)

/** Whether a query failed because PostgreSQL is away, starting, stopping, overloaded or lets nobody in or change anything. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if (e instanceof postgres.PostgresError) return e.severity === 'FATAL' || PASSING.test(e.code)
    if (isOfConnection(e)) return true
  }
  return false
}

/** Throws unless PostgreSQL answers, and takes changes: else it refuses this as it would refuse those. */
export const requireDatabase = (db: Database) =>
  db.orm.execute(sql`DO $$ BEGIN
    IF current_setting('transaction_read_only')::boolean THEN RAISE read_only_sql_transaction; END IF;
  END $$`)
