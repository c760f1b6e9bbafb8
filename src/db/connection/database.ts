/** The connection to PostgreSQL, which every query takes as its first parameter. */
import { sql } from 'drizzle-orm'
import type postgres from 'postgres'
import type { Logger } from '../../process/log.ts'
import { NO_SPAN, type Span } from '../../process/span.ts'
import type { Encryption } from '../../storage/encryption.ts'
import { createConnection } from './connection.ts'
import {
  isTransaction,
  type Orm,
  originOf,
  ormOfPool,
  ormWithin,
  type Statement,
  statementOf,
} from './orm.ts'
import { createPool, type Pool } from './pool.ts'

/** A connection or a transaction, with the keys of the encrypted columns. */
export interface Database {
  readonly orm: Orm
  readonly encryption: Encryption
  readonly span: Span
}

export interface DatabasePool extends Database {
  readonly orm: Orm & { readonly $client: postgres.Sql }
  readonly usage: Pool['usage']
  /** Closes the pool once the queries in progress have ended. */
  end(): Promise<void>
}

export interface DatabaseOptions {
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
  return { orm: ormOfPool(pool, span), encryption, span, usage: pool.usage, end: pool.end }
}

export const withSpan = (db: Database, span: Span): Database =>
  span === db.span ? db : { ...db, orm: ormWithin(db.orm, span), span }

/** Creates a value once for each pool. The handles of all spans share it. Each transaction creates its own value. */
export function createPerPool<T>(create: (orm: Orm) => T): (db: Database) => T {
  const created = new WeakMap<Orm, T>()
  return ({ orm }) => {
    const origin = originOf(orm)
    const value = created.get(origin) ?? create(origin)
    created.set(origin, value)
    return value
  }
}

/** Builds a prepared statement once, because building it can take more time than the query. */
export function cacheStatement<Row>(build: (orm: Orm) => { execute(): Promise<Row[]> }) {
  let statement: Statement<Row> | undefined
  return ({ orm }: Database) => ({
    execute(values: Readonly<Record<string, unknown>> = {}): Promise<Row[]> {
      statement ??= statementOf(build(orm))
      return statement(orm, values)
    },
  })
}

/** Runs `work` in one transaction, which is committed if `work` succeeds and rolled back if it throws. */
export const transaction = <T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> =>
  db.orm.transaction((orm) => work({ orm, encryption: db.encryption, span: db.span }))

/**
 * Runs `work` without a transaction, because its only write is one statement. Inside a transaction, `work` gets a
 * savepoint, so that its failure does not abort the transaction.
 */
export const runOneStatement = <T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> =>
  isTransaction(db.orm) ? transaction(db, work) : work(db)

/**
 * Throws unless PostgreSQL is available and accepts writes. A read-only server causes the same error as a write would.
 */
export const requireDatabase = (db: Database) =>
  db.orm.execute(sql`DO $$ BEGIN
    IF current_setting('transaction_read_only')::boolean THEN RAISE read_only_sql_transaction; END IF;
  END $$`)
