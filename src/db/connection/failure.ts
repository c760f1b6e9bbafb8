/** Finds out why a query failed. */
import postgres from 'postgres'
import { conditionOf } from '../../process/sqlstate.ts'
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

/** The remedies for conditions that an administrator can correct. */
const REMEDIES: Readonly<Record<string, string>> = {
  invalid_password: 'Correct the password in the URL.',
  invalid_authorization_specification: 'Correct the user in the URL, or allow this user in pg_hba.conf.',
  invalid_catalog_name: 'Create the database, or correct its name in the URL.',
  insufficient_privilege: 'Run migrate as the owner of the tables. It grants the rights of the service role.',
  undefined_table: 'Run migrate of this version.',
  undefined_column: 'Run migrate of this version.',
  read_only_sql_transaction: 'Connect to the primary server.',
  too_many_connections: 'Increase max_connections or the limit of the role, or run fewer processes.',
  disk_full: 'Free space on the disk of PostgreSQL.',
  out_of_memory: 'Give PostgreSQL more memory, or run fewer processes.',
  cannot_connect_now: 'Wait until PostgreSQL has started.',
  query_canceled: 'Find the statement that blocks others in pg_stat_activity.',
}

/** Explains the failure of a query without data. Returns null if the failure is not one of the database. */
export function explainDatabaseFailure(error: unknown): string | null {
  const failure = findDatabaseError(error)
  if (failure) {
    const condition = conditionOf(failure.code) ?? 'an error'
    return `PostgreSQL reports ${condition} (${failure.code}). ${REMEDIES[condition] ?? 'Its log has the details.'}`
  }
  for (let e: unknown = error; e instanceof Error; e = e.cause)
    if (isOfConnection(e))
      return `PostgreSQL does not respond (${(e as NodeJS.ErrnoException).code}). Check the address in the URL, and that it runs.`
  return null
}
