/** Brings the database to the newest schema, once, whoever asks first. */
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator'
import { createClient } from './driver.ts'

const FOLDER = fileURLToPath(new URL('../../drizzle/migrations', import.meta.url))
/** Any fixed number: the advisory lock that lets one process migrate at a time. */
const LOCK = 7_245_001

export async function migrate(databaseUrl: string): Promise<void> {
  const client = createClient(databaseUrl)
  try {
    await client`SELECT pg_advisory_lock(${LOCK})`
    await applyMigrations(drizzle(client), { migrationsFolder: FOLDER })
  } finally {
    await client.end()
  }
}
