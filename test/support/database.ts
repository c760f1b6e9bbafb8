/** Databases of test files' own, on the PostgreSQL that they share. */
import postgres from 'postgres'
import { inject, vi } from 'vitest'
import type { DatabasePool } from '../../src/db/database.ts'

async function asAdmin(statement: string): Promise<void> {
  const url = new URL(inject('postgresUrl'))
  url.pathname = '/postgres'
  const client = postgres(url.href, { max: 1 })
  await client.unsafe(statement).finally(() => client.end())
}

/** A database of this name, migrated, and its URL. */
export async function cloneDatabase(name: string): Promise<string> {
  await asAdmin(`CREATE DATABASE ${name} TEMPLATE gatehouse`)
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return url.href
}

export const dropDatabase = (name: string) => asAdmin(`DROP DATABASE ${name} WITH (FORCE)`)

/** Counts what is asked of the database from now on; a transaction counts as one. */
export function countQueries({ orm: { $client } }: DatabasePool) {
  const spies = [vi.spyOn($client, 'unsafe'), vi.spyOn($client, 'begin')]
  for (const spy of spies) spy.mockClear()
  return { asked: () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0) }
}
