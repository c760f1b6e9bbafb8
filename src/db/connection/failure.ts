/** Finds out why a query failed. */
import postgres from 'postgres'
import { READ_ONLY } from './connection.ts'

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
