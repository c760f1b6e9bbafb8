/** What API and worker need of PostgreSQL before they are ready. */
import { type Database, requireDatabase } from '../db/connection/database.ts'
import { requireMigrated } from '../db/connection/migrate.ts'
import { answers, onceThere } from '../http/health.ts'
import type { Logger } from '../process/log.ts'

/** PostgreSQL answers and accepts changes, and has had the tables of this version at least once. */
export const databaseNeeds = (db: Database, log: Logger) => ({
  database_away: answers('PostgreSQL does not answer, or takes no changes', () => requireDatabase(db), log),
  not_migrated: onceThere(
    answers('this version has migrations that are not applied: run migrate', () => requireMigrated(db), log),
  ),
})
