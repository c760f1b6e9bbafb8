/** Tests migrations during writes: large tables, long transactions, interruptions and concurrent runs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../src/db/connection/migrate.ts'
import { createDatabase, dropDatabase } from '../support/database.ts'
import { eventually, unique } from '../support/instance.ts'

const IS_FULL = process.env.CHAOS === 'full'
/** A request waits 4.5 seconds for a query and for a connection. Tests that share the machine may delay a write. */
const [HELD_MS, PATIENCE_MS] = IS_FULL ? [6_000, 4_500] : [25_000, 20_000]

/** Even the smaller number makes building an index slow. */
const ROWS = IS_FULL ? 1_000_000 : 200_000

const name = `test_${unique().replaceAll('-', '')}`
const url = await createDatabase(name)
const db = postgres(url, { max: 4, onnotice: () => {} })
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-migrations-'))
afterAll(async () => {
  await db.end()
  await dropDatabase(name)
  rmSync(folder, { recursive: true, force: true })
})

/** Writes a folder of migrations, each with its statements. */
function migrations(...all: string[][]): void {
  mkdirSync(join(folder, 'meta'), { recursive: true })
  const entries = all.map((statements, idx) => {
    const tag = `000${idx}_test`
    writeFileSync(join(folder, `${tag}.sql`), statements.join('--> statement-breakpoint\n'))
    return { idx, version: '7', when: idx + 1, tag, breakpoints: true }
  })
  const journal = { version: '7', dialect: 'postgresql', entries }
  writeFileSync(join(folder, 'meta', '_journal.json'), JSON.stringify(journal))
}

/**
 * Writes until the returned function is called. That function returns the duration of the slowest write in
 * milliseconds.
 */
function writer() {
  let isOver = false
  const ended = (async () => {
    let slowest = 0
    for (let count = 0; !isOver; count++) {
      const from = performance.now()
      await db`INSERT INTO events (payload) VALUES ('written') ON CONFLICT DO NOTHING`
      await db`UPDATE events SET payload = 'changed' WHERE id = ${(count * 7919) % ROWS}`
      slowest = Math.max(slowest, performance.now() - from)
    }
    return slowest
  })()
  return () => {
    isOver = true
    return ended
  }
}

const indexes = () =>
  db<{ name: string; valid: boolean }[]>`
    SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = 'events'::regclass AND NOT i.indisprimary`

const TABLE = ['CREATE TABLE "events" (id serial PRIMARY KEY, payload text NOT NULL);']
const COLUMN = 'ALTER TABLE "events" ADD COLUMN "kind" text DEFAULT \'none\' NOT NULL;\n'
const INDEX = 'CREATE INDEX CONCURRENTLY "events_payload" ON "events" USING btree ("payload","kind");\n'
const CHECK = 'ALTER TABLE "events" ADD CONSTRAINT "payload_there" CHECK (payload <> \'\') NOT VALID;\n'
const VALIDATE = 'ALTER TABLE "events" VALIDATE CONSTRAINT "payload_there";\n'

beforeEach(async () => {
  await db`DROP SCHEMA IF EXISTS drizzle CASCADE`
  await db`DROP TABLE IF EXISTS events`
  migrations(TABLE)
  await migrate(url, { folder })
})

test('adds a column, an index and a check to a large table without delaying writers', async () => {
  await db`INSERT INTO events (payload) SELECT md5(n::text) FROM generate_series(1, ${ROWS}::int) n`
  migrations(TABLE, [COLUMN, INDEX, CHECK, VALIDATE])
  const stopped = writer()
  await migrate(url, { folder })
  expect(await stopped()).toBeLessThan(PATIENCE_MS)
  expect(await indexes()).toEqual([{ name: 'events_payload', valid: true }])
})

test('delays writers no longer than the request timeout if a transaction holds the table', async () => {
  migrations(TABLE, [COLUMN])
  const keeping = await db.reserve()
  await keeping`BEGIN`
  await keeping`SELECT FROM events`
  const stopped = writer()
  let migrated = false
  const migrating = migrate(url, { folder }).then(() => {
    migrated = true
  })
  await sleep(HELD_MS)
  expect(migrated).toBe(false)
  await keeping`COMMIT`
  keeping.release()
  await migrating
  expect(await stopped()).toBeLessThan(PATIENCE_MS)
})

test('completes an index after an interruption, and leaves no invalid one', async () => {
  migrations(TABLE, [COLUMN, INDEX], ['ALTER TABLE "events" ADD COLUMN "later" text;'])
  // Building an index waits for every open transaction.
  const keeping = await db.reserve()
  await keeping`BEGIN ISOLATION LEVEL REPEATABLE READ`
  await keeping`SELECT txid_current()`
  const cutOff = expect(migrate(url, { folder })).rejects.toThrow()
  await eventually(async () => {
    const building = await db`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = ${name} AND query LIKE '%INDEX CONCURRENTLY%' AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()`
    expect(building.count).toBe(1)
  })
  await cutOff
  expect(await indexes()).toEqual([{ name: 'events_payload', valid: false }])
  await keeping`COMMIT`
  keeping.release()
  await migrate(url, { folder })
  expect(await indexes()).toEqual([{ name: 'events_payload', valid: true }])
  await db`SELECT later FROM events`
  await migrate(url, { folder })
})

test('completes despite a short statement timeout of the database', async () => {
  await db.unsafe(`ALTER DATABASE ${name} SET statement_timeout = '50ms'`)
  const sleeping = 'BEGIN PERFORM pg_sleep(0.2); RETURN $1; END'
  migrations(TABLE, [
    COLUMN,
    'DO $$ BEGIN PERFORM pg_sleep(0.2); END $$;\n',
    `CREATE FUNCTION slowly(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$${sleeping}$$;\n`,
    'CREATE INDEX CONCURRENTLY "events_slow" ON "events" (slowly("payload"));\n',
  ])
  await db`INSERT INTO events (payload) VALUES ('there')`
  try {
    await migrate(url, { folder })
  } finally {
    await db.unsafe(`ALTER DATABASE ${name} RESET statement_timeout`)
  }
  expect(await db`SELECT kind FROM events`).toEqual([{ kind: 'none' }])
  expect(await indexes()).toEqual([{ name: 'events_slow', valid: true }])
  await db`DROP FUNCTION slowly CASCADE`
})

test('applies each migration once if two processes start together', async () => {
  migrations(TABLE, [COLUMN, INDEX])
  const applied = await Promise.all([migrate(url, { folder }), migrate(url, { folder })])
  expect(Math.min(...applied)).toBe(0)
  expect(Math.max(...applied)).toBeGreaterThan(0)
  expect(await indexes()).toEqual([{ name: 'events_payload', valid: true }])
})

test('changes nothing and throws if a statement fails', async () => {
  migrations(TABLE, [COLUMN, 'ALTER TABLE "nothing" ADD COLUMN "kind" text;'])
  await expect(migrate(url, { folder })).rejects.toThrow('"nothing" does not exist')
  migrations(TABLE, [COLUMN])
  await migrate(url, { folder })
})
