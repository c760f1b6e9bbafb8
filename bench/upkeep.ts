/** Measures the commands of administrators on a full database: key rotation, erasure and migration. */
import { randomBytes } from 'node:crypto'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import type postgres from 'postgres'
import type { Instance } from '../dev/instance.ts'
import { connectDatabase } from '../src/db/connection/database.ts'
import { readKeyUse, resealColumn } from '../src/db/connection/key-rotation.ts'
import { MIGRATIONS } from '../src/db/connection/migrate.ts'
import { SEALED, SEALED_COLUMNS, sealedFor } from '../src/db/connection/sealed.ts'
import { findDue } from '../src/db/removal/retention.ts'
import { readConfig } from '../src/process/config.ts'
import { createLogger } from '../src/process/log.ts'
import type { BlobStore } from '../src/storage/blob-store.ts'
import { createEncryption, type Encryption } from '../src/storage/encryption.ts'
import { eraseIdentification } from '../src/use-cases/review/erasure.ts'
import { recipeOf } from './process.ts'

const ERASED = 50
const NEWEST_MIGRATIONS = 5
const PERIODS = { years: 2, unfinishedDays: 365, sendsEmails: false }
/** The copied files have no content. */
const NO_FILES = { keyId: async () => null } as unknown as BlobStore

/** Measures work. Prints its time, divided by the number that the work returns. */
export type Measure = (name: string, work: () => Promise<number>) => Promise<void>

export async function measureUpkeep(
  instance: Instance,
  database: postgres.Sql,
  contexts: Contexts,
  measure: Measure,
): Promise<void> {
  const { env } = recipeOf(instance.pids.api ?? 0)
  const key = `new:${randomBytes(32).toString('base64')}`
  const config = readConfig({ ...env, ENCRYPTION_KEYS: `${key},${env.ENCRYPTION_KEYS}` })
  const encryption = openingCopies(createEncryption(config), contexts)
  const db = connectDatabase(instance.database_url, encryption, createLogger('warn', 'bench'), {
    connections: 2,
    queryMs: 600_000,
  })
  await measure('key rotation: count the values of each key', async () => {
    const uses = await readKeyUse(db, NO_FILES)
    return [...uses.values()].flatMap((use) => [...use.values()]).reduce((sum, count) => sum + count, 0)
  })
  const progress = { done: () => {}, unopened: console.log }
  await measure('key rotation: one column', () => resealColumn(db, 'identifications.profile', progress))
  let due: string[] = []
  await measure('erasure: find the due identifications', async () => {
    due = (await findDue(db, PERIODS)).map(({ id }) => id)
    return due.length
  })
  await measure('erasure: erase one', async () => {
    for (const id of due.slice(0, ERASED)) await eraseIdentification(db, id, PERIODS)
    return ERASED
  })
  await db.end()
  for (const migration of readMigrationFiles({ migrationsFolder: MIGRATIONS }).slice(-NEWEST_MIGRATIONS))
    await applyAgain(database, migration, measure)
}

/** The context of each encrypted value, by the value in base64. */
type Contexts = ReadonlyMap<string, string>

/** Returns the contexts of all values. Their copies can be opened only with these contexts. */
export async function readContexts(database: postgres.Sql): Promise<Contexts> {
  const contexts = new Map<string, string>()
  for (const name of SEALED_COLUMNS) {
    const [table = '', column = ''] = name.split('.')
    const rows = await database<{ owner: string; sealed: Buffer }[]>`
      SELECT ${database(SEALED[name].owner)}::text AS owner, ${database(column)} AS sealed FROM ${database(table)}
      WHERE ${database(column)} IS NOT NULL`
    for (const row of rows) contexts.set(row.sealed.toString('base64'), sealedFor(name, row.owner))
  }
  return contexts
}

function openingCopies(encryption: Encryption, contexts: Contexts): Encryption {
  const unseal: Encryption['unseal'] = (sealed, context) =>
    encryption.unseal(sealed, contexts.get(sealed.toString('base64')) ?? context)
  return {
    ...encryption,
    unseal,
    unsealJson: (sealed, context) => JSON.parse(unseal(sealed, context).toString()),
  }
}

const INDEX = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY "(\w+)"/m

/** Builds the indexes of a migration again, because they take longer the larger the table is. */
async function applyAgain(database: postgres.Sql, { sql }: MigrationMeta, measure: Measure): Promise<void> {
  for (const statement of sql) {
    const [, index] = INDEX.exec(statement) ?? []
    if (index === undefined) continue
    await database.unsafe(`DROP INDEX IF EXISTS "${index}"`)
    await measure(`migration: ${index}`, async () => {
      await database.unsafe(statement)
      return 1
    })
  }
}
