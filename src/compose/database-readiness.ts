/** Checks whether PostgreSQL is ready for an API or a worker. */
import { type Database, requireDatabase } from '../db/connection/database.ts'
import { requireMigrated, requireSupportedDatabase } from '../db/connection/migrate.ts'
import { createReadinessCheck, rememberReady } from '../http/health.ts'
import type { Logger } from '../process/log.ts'

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
