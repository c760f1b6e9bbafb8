/** Checks whether PostgreSQL and Temporal are ready for an API or a worker. */
import type { Client } from '@temporalio/client'
import { type Database, requireDatabase } from '../db/connection/database.ts'
import { requireMigrated, requireSupportedDatabase } from '../db/connection/migrate.ts'
import { createReadinessCheck, type ReadinessCheck, rememberReady } from '../http/health.ts'
import type { Logger } from '../process/log.ts'
import { UnsupportedVersion } from '../process/versions.ts'
import { requireSupportedServer } from '../temporal/client.ts'

/** Short, so that checks by proxies do not time out while Temporal is unavailable. */
const VERSION_MS = 500

/**
 * Returns the checks that PostgreSQL responds and accepts changes, that its version is supported, and that the tables of
 * this version exist. The last two are not repeated once they have succeeded.
 */
export const databaseReadiness = (db: Database, log: Logger) => ({
  database_away: createReadinessCheck(
    'PostgreSQL does not respond or is read-only',
    () => requireDatabase(db),
    log,
  ),
  database_too_old: rememberReady(
    createReadinessCheck(
      'this version of PostgreSQL is not supported',
      () => requireSupportedDatabase(db),
      log,
    ),
  ),
  not_migrated: rememberReady(
    createReadinessCheck(
      'database migrations of this version are not applied; run migrate',
      () => requireMigrated(db),
      log,
    ),
  ),
})

/**
 * Returns the check that the version of the Temporal server is supported. It succeeds while the server does not respond,
 * because an API works without it, and is not repeated once the version is known.
 */
export function temporalReadiness({ connection }: Client, log: Logger): ReadinessCheck {
  let isKnown = false
  const requireVersion = async () => {
    try {
      await connection.withDeadline(Date.now() + VERSION_MS, () =>
        requireSupportedServer(connection.workflowService),
      )
      isKnown = true
    } catch (error) {
      if (error instanceof UnsupportedVersion) throw error
    }
  }
  const check = createReadinessCheck(
    'this version of the Temporal server is not supported',
    requireVersion,
    log,
  )
  return () => isKnown || check()
}
