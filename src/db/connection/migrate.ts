/** Applies migrations in one process at a time, with short locks that barely delay readers and writers. */
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import type postgres from 'postgres'
import { requireSupported } from '../../process/versions.ts'
import type { Database } from './database.ts'
import { placeOf } from './database-url.ts'
import { createClient } from './driver.ts'
import { grantServiceRole } from './service-role.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../../drizzle/migrations', import.meta.url))
/** The advisory lock that only one migrating process can hold. The number is arbitrary. */
const LOCK = 7_245_001

/**
 * A statement that waits for a table lock blocks all later statements, so its wait is limited. The limit exceeds
 * `deadlock_timeout` (1 s), after which PostgreSQL cancels a conflicting vacuum, and is below the deadline for
 * requests.
 */
const LOCK_TIMEOUT = '2s'
const TRIES = 100
const PAUSE_MS = 2_000

/**
 * Applies all migrations, and grants rights to the role in `service`, the URL with which Gatehouse serves requests.
 * Returns the number of applied migrations.
 */
export async function migrate(
  databaseUrl: string,
  {
    service = databaseUrl,
    folder = MIGRATIONS,
  }: { readonly service?: string; readonly folder?: string } = {},
): Promise<number> {
  const client = createClient(databaseUrl)
  let applied = 0
  try {
    // Removes the timeout of the role or database, because building an index on a large table takes longer than a
    // request may.
    await client`SET statement_timeout = 0`
    const [server] = await client<{ version: string }[]>`SELECT current_setting('server_version') AS version`
    requireSupported('PostgreSQL', server?.version ?? '')
    await acquireLock(client)
    await client`CREATE SCHEMA IF NOT EXISTS drizzle`
    await client`CREATE TABLE IF NOT EXISTS drizzle.__drizzle_migrations
      (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`
    const [newest] = await client<{ hash: string; at: string }[]>`
      SELECT hash, created_at AS at FROM drizzle.__drizzle_migrations ORDER BY created_at DESC LIMIT 1`
    for (const migration of readMigrationFiles({ migrationsFolder: folder })) {
      const at = Number(newest?.at ?? 0)
      if (migration.folderMillis > at) await applyTogether(client, migration)
      else if (migration.folderMillis < at || newest?.hash !== BEGUN) continue
      await applyApart(client, migration)
      applied += 1
    }
    await client.begin((tx) => grantServiceRole(tx, placeOf(service)))
    return applied
  } finally {
    await client.end({ timeout: 1 })
  }
}

/** Returns the version of PostgreSQL. Throws UnsupportedVersion if it is too old. */
export async function requireSupportedDatabase({ orm }: Database): Promise<string> {
  const [row] = await orm.execute<{ version: string }>(
    sql`SELECT current_setting('server_version') AS version`,
  )
  requireSupported('PostgreSQL', row?.version ?? '')
  return row?.version ?? ''
}

/** Throws unless all migrations of this version are completely applied. Ignores migrations of later versions. */
export async function requireMigrated({ orm }: Database): Promise<void> {
  const newest = readMigrationFiles({ migrationsFolder: MIGRATIONS }).at(-1)?.folderMillis
  const applied = await orm.execute(sql`
    SELECT FROM drizzle.__drizzle_migrations WHERE created_at = ${newest} AND hash <> ${BEGUN}`)
  if (applied.length === 0) throw new Error('a migration is not applied')
}

/** Polls for the lock. A waiting query would block `CREATE INDEX CONCURRENTLY`, which waits for all earlier queries. */
async function acquireLock(client: postgres.Sql): Promise<void> {
  for (;;) {
    const [row] = await client<{ taken: boolean }[]>`SELECT pg_try_advisory_lock(${LOCK}) AS taken`
    if (row?.taken) return
    await pause(200)
  }
}

/** Stands for the hash of a migration until its separate statements are complete. */
const BEGUN = 'begun'

/**
 * Splits a migration into statements that run `together` in a transaction, and statements that run `apart` after it.
 * The latter take a long time on a large table, so they must not hold locks for which other queries wait.
 */
export function partsOf(migration: Pick<MigrationMeta, 'sql'>): { together: string[]; apart: string[] } {
  const apart = migration.sql.filter((statement) => RUNS_SEPARATELY.test(statement))
  return { together: migration.sql.filter((statement) => !apart.includes(statement)), apart }
}

const RUNS_SEPARATELY =
  /^\s*(CREATE (UNIQUE )?INDEX CONCURRENTLY|DROP INDEX CONCURRENTLY|ALTER TABLE \S+ VALIDATE) /im

async function applyTogether(client: postgres.Sql, migration: MigrationMeta): Promise<void> {
  const { together, apart } = partsOf(migration)
  const hash = apart.length === 0 ? migration.hash : BEGUN
  await retryWhileLocked(() =>
    client.begin(async (tx) => {
      await tx.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
      for (const statement of together) await tx.unsafe(statement)
      await tx`INSERT INTO drizzle.__drizzle_migrations (hash, created_at)
        VALUES (${hash}, ${migration.folderMillis})`
    }),
  )
}

/** Runs the separate statements. Skips those that an interrupted run has already completed. */
async function applyApart(client: postgres.Sql, migration: MigrationMeta): Promise<void> {
  for (const statement of partsOf(migration).apart) {
    await dropUnfinished(
      client,
      /^CREATE .*?INDEX CONCURRENTLY (IF NOT EXISTS )?"(\w+)"/im.exec(statement)?.[2],
    )
    await client.unsafe(statement).catch((error: unknown) => {
      if (codeOf(error) !== (/^\s*CREATE/i.test(statement) ? DUPLICATE_TABLE : UNDEFINED_OBJECT)) throw error
    })
  }
  await client`UPDATE drizzle.__drizzle_migrations SET hash = ${migration.hash}
    WHERE created_at = ${migration.folderMillis}`
}

/**
 * Drops the invalid index that an interrupted `CREATE INDEX CONCURRENTLY` leaves. It slows down writes and serves no
 * query.
 */
async function dropUnfinished(client: postgres.Sql, index: string | undefined): Promise<void> {
  const unfinished =
    await client`SELECT FROM pg_index WHERE indexrelid = to_regclass(${index ?? ''}) AND NOT indisvalid`
  if (unfinished.count > 0) await client`DROP INDEX CONCURRENTLY ${client(index ?? '')}`
}

async function retryWhileLocked(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await work()
      return
    } catch (error) {
      if (![LOCK_NOT_AVAILABLE, DEADLOCK].includes(codeOf(error) ?? '')) throw error
      if (tries === TRIES)
        throw new Error(
          'A long transaction keeps locking a table that the migration changes. Find it in pg_stat_activity with ' +
            'the longest duration, end it, and run migrate again.',
        )
    }
    await pause(PAUSE_MS)
  }
}

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
const DUPLICATE_TABLE = '42P07'
const UNDEFINED_OBJECT = '42704'

const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code
