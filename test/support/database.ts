/** Databases of test files' own, on the PostgreSQL that they share. */
import pg from 'pg'
import { inject } from 'vitest'

async function asAdmin(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const url = new URL(inject('postgresUrl'))
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** A database of this name, migrated, and its URL. */
export async function cloneDatabase(name: string): Promise<string> {
  await asAdmin((client) => client.query(`CREATE DATABASE ${name} TEMPLATE gatehouse`))
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return url.href
}

export const dropDatabase = (name: string) =>
  asAdmin((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`))
