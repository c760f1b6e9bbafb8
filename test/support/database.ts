/** Databases for single test files on the shared PostgreSQL. */
import { type SQL, sql } from 'drizzle-orm'
import postgres from 'postgres'
import { inject, vi } from 'vitest'
import { newKeys } from '../../dev/launcher/secrets.ts'
import { connectDatabase, type DatabaseOptions, type DatabasePool } from '../../src/db/connection/database.ts'
import { createLogger } from '../../src/process/log.ts'
import { createEncryption, type Encryption } from '../../src/storage/encryption.ts'

export async function asOwner(url: string, statement: string): Promise<void> {
  const client = postgres(url, { max: 1 })
  await client.unsafe(statement).finally(() => client.end())
}

export function asAdmin(statement: string): Promise<void> {
  const url = new URL(inject('postgresUrl'))
  url.pathname = '/postgres'
  return asOwner(url.href, statement)
}

/** Creates a migrated database with this name and returns its URL. */
export const cloneDatabase = (name: string) => createDatabase(name, 'gatehouse')

/** Creates a database with this name, empty without a template, and returns its URL. */
export async function createDatabase(name: string, template = 'template0'): Promise<string> {
  await asAdmin(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return url.href
}

/** Opens a pool whose queries may take two minutes, so that tests can fill tables on a busy machine. */
export function openDatabase(
  url: string,
  encryption: Encryption = createEncryption(newKeys()),
  options: DatabaseOptions = {},
): DatabasePool {
  return connectDatabase(url, encryption, createLogger('silent', 'test'), { queryMs: 120_000, ...options })
}

/** Returns the URL of the database for the service role. */
export function serviceUrlOf(name: string): string {
  const url = new URL(inject('serviceUrl'))
  url.pathname = `/${name}`
  return url.href
}

export const dropRole = (name: string) => asAdmin(`DROP ROLE IF EXISTS ${name}`)

export const dropDatabase = (name: string) => asAdmin(`DROP DATABASE ${name} WITH (FORCE)`)

/** Flips a bit of an encrypted value, like a bad block. A second call restores it. */
export const damaging = (table: string, column: string, where: SQL) => {
  const value = sql.identifier(column)
  return sql`UPDATE ${sql.identifier(table)}
    SET ${value} = set_byte(${value}, length(${value}) - 1, get_byte(${value}, length(${value}) - 1) # 1) WHERE ${where}`
}

/** Counts the queries to the database from now on. A transaction counts as one. */
export function countQueries({ orm: { $client } }: DatabasePool) {
  const spies = [vi.spyOn($client, 'unsafe'), vi.spyOn($client, 'begin')]
  for (const spy of spies) spy.mockClear()
  return { asked: () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0) }
}
