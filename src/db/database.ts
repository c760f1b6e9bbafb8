/** The connection to PostgreSQL that every query takes as its first parameter. */
import type { SQL } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'
import type { Logger } from '../log.ts'
import type { Encryption } from '../storage/encryption.ts'

/** What a query needs: a connection (or the transaction it belongs to) and the keys to sealed columns. */
export interface Database {
  readonly orm: Pick<
    NodePgDatabase,
    'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'execute' | 'transaction' | '$count'
  >
  readonly encryption: Encryption
}

export interface DatabasePool extends Database {
  readonly pool: pg.Pool
}

const dialect = new PgDialect()

/**
 * Runs a query whose text is always the same and whose planning costs more than its work: each connection plans
 * it once, under the name. In a transaction it runs as any other query.
 */
export async function executePlanned<T extends Record<string, unknown>>(
  db: Database,
  name: string,
  query: SQL,
): Promise<T[]> {
  if (!('pool' in db)) return (await db.orm.execute(query)).rows as T[]
  const { sql: text, params: values } = dialect.sqlToQuery(query)
  return (await (db as DatabasePool).pool.query<T>({ name, text, values })).rows
}

/** Nothing connects before the first query; a query that takes longer than `queryMs` is cancelled. */
export function openDatabase(
  url: string,
  encryption: Encryption,
  log: Logger,
  { connections = 20, queryMs = 4_000 }: { connections?: number; queryMs?: number } = {},
): DatabasePool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 2_000,
    statement_timeout: queryMs,
    // For a server that is there and does not answer: the other limits are its own to keep.
    query_timeout: queryMs + 500,
    idle_in_transaction_session_timeout: 5_000,
    keepAlive: true,
  })
  pool.on('error', (err) => log.warn({ err }, 'an idle connection to PostgreSQL was lost'))
  // While a connection is in use its errors are nobody's, and would end the process; its query fails too.
  pool.on('connect', (client) => {
    client.on('error', (err) => log.warn({ err }, 'a connection to PostgreSQL was lost'))
  })
  return { orm: drizzle(pool), pool, encryption }
}

/** Runs `work` in one transaction: all of it is durable when this returns, nothing of it when it throws. */
export const transaction = <T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> =>
  db.orm.transaction((orm) => work({ orm, encryption: db.encryption }))

/** The PostgreSQL error below a failed query, if it is one. */
export function databaseError(error: unknown): pg.DatabaseError | null {
  for (let e: unknown = error; e instanceof Error; e = e.cause) if (e instanceof pg.DatabaseError) return e
  return null
}

/** The name of the unique constraint that a failed query violated, if that is why it failed. */
export function violatedConstraint(error: unknown): string | null {
  const failure = databaseError(error)
  return failure?.code === '23505' ? (failure.constraint ?? null) : null
}

const CONNECTION_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT', 'ENOENT'])

/** What the driver says, without a code, when a connection goes away under a query or does not answer. */
const AWAY_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed)/

/** Whether a query failed because PostgreSQL is away, starting, stopping or overloaded. */
export function databaseAway(error: unknown): boolean {
  for (let e: unknown = error; e instanceof Error; e = e.cause) {
    if (e instanceof pg.DatabaseError) return /^(08|53|57|25P03)/.test(e.code ?? '')
    if (CONNECTION_CODES.has((e as NodeJS.ErrnoException).code ?? '')) return true
    if (AWAY_MESSAGES.test(e.message)) return true
  }
  return false
}
