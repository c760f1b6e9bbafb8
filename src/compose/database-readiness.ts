/** Checks whether PostgreSQL is ready for an API or a worker. */
import { type Database, requireDatabase } from '../db/connection/database.ts'
import { requireMigrated } from '../db/connection/migrate.ts'
import { createReadinessCheck, rememberReady } from '../http/health.ts'
import type { Logger } from '../process/log.ts'

/**
 * Returns the checks that PostgreSQL responds and accepts changes, and that the tables of this version exist. The
 * second check is not repeated once it has succeeded.
 */
export const databaseReadiness = (db: Database, log: Logger) => ({
  database_away: createReadinessCheck(
    'PostgreSQL does not respond or is read-only',
    () => requireDatabase(db),
    log,
  ),
  not_migrated: rememberReady(
    createReadinessCheck(
      'database migrations of this version are not applied; run migrate',
      () => requireMigrated(db),
      log,
    ),
  ),
})
