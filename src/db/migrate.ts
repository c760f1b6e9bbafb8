/** Brings the database to the newest schema, once, whoever asks first. */
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'

const FOLDER = fileURLToPath(new URL('../../drizzle/migrations', import.meta.url))
/** Any fixed number: the advisory lock that lets one process migrate at a time. */
const LOCK = 7_245_001

export async function migrate(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK])
    await applyMigrations(drizzle(client), { migrationsFolder: FOLDER })
  } finally {
    await client.end()
  }
}
