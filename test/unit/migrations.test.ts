/** Tests that new migrations do not block reads or writes of a large table. */

import { readdirSync } from 'node:fs'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import journal from '../../drizzle/migrations/meta/_journal.json' with { type: 'json' }
import { MIGRATIONS, partsOf } from '../../src/db/connection/migrate.ts'

/** The first migration creates all tables. */
const LINTED_FROM = 1

/** `migrate` covers these rules: it sets the timeouts and repeats interrupted statements. */
const COVERED = [
  'require-timeout-settings',
  'require-lock-timeout',
  'require-statement-timeout',
  'prefer-robust-stmts',
]
/** These rules are a matter of taste. */
const TASTE = ['prefer-bigint-over-int', 'prefer-identity']

async function complaints(statements: string[], ...options: string[]): Promise<string[]> {
  if (statements.length === 0) return []
  const { stdout } = await execa({
    input: statements.join('\n'),
    reject: false,
    preferLocal: true,
  })`squawk --reporter=json --pg-version=18 --exclude=${[...COVERED, ...TASTE].join(',')} ${options}`
  return JSON.parse(stdout).map(
    ({ rule_name, message, help }: Record<string, string>) => `${rule_name}: ${message} ${help ?? ''}`,
  )
}

async function complaintsAbout(sql: string[]): Promise<string[]> {
  const { together, apart } = partsOf({ sql })
  const moving = together.filter(
    (statement) =>
      /^\s*(UPDATE|DELETE|TRUNCATE|LOCK|INSERT)\s/im.test(statement) &&
      !/^CREATE (OR REPLACE )?FUNCTION /m.test(statement),
  )
  return [
    ...moving.map((statement) => `moves rows, which a command does in batches: ${statement}`),
    ...(await complaints(together, '--assume-in-transaction')),
    ...(await complaints(apart)),
  ]
}

const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS })

test.each(journal.entries.slice(LINTED_FROM))('$tag holds no lock for long', async ({ idx }) => {
  expect(await complaintsAbout(migrations[idx]?.sql ?? [])).toEqual([])
})

test('every migration is newer than the earlier ones, because the newest determines which were applied', () => {
  const times = journal.entries.map(({ when }) => when)
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
})

test.each([
  ['an index that is not built concurrently', 'CREATE INDEX "i" ON "files" USING btree ("name");'],
  ['a column that has to be filled', 'ALTER TABLE "files" ADD COLUMN "x" integer NOT NULL;'],
  ['another type of a column', 'ALTER TABLE "files" ALTER COLUMN "size" SET DATA TYPE bigint;'],
  ['NOT NULL on an existing column', 'ALTER TABLE "files" ALTER COLUMN "size" SET NOT NULL;'],
  ['a constraint that scans all rows', 'ALTER TABLE "files" ADD CONSTRAINT "c" CHECK (size > 0);'],
  [
    'a foreign key that scans all rows',
    'ALTER TABLE "files" ADD CONSTRAINT "f" FOREIGN KEY ("a") REFERENCES "b"("id");',
  ],
  ['an index dropped with a lock', 'DROP INDEX "files_unattached";'],
  ['rows rewritten', 'UPDATE files SET size = 0;'],
])('refuses %s', async (_, statement) => {
  expect(await complaintsAbout([statement])).not.toEqual([])
})

test.each([
  [
    'a new table with its indexes',
    'CREATE TABLE "t" ("id" uuid PRIMARY KEY, "n" text);\nCREATE INDEX "i" ON "t" ("n");',
  ],
  ['a column with a default', 'ALTER TABLE "files" ADD COLUMN "x" integer DEFAULT 0 NOT NULL;'],
  ['an index built concurrently', 'CREATE INDEX CONCURRENTLY "i" ON "files" USING btree ("name");'],
  ['an index dropped concurrently', 'DROP INDEX CONCURRENTLY "files_unattached";'],
])('accepts %s', async (_, statement) => {
  expect(await complaintsAbout([statement])).toEqual([])
})

test('adds a constraint in two steps', async () => {
  const steps = [
    'ALTER TABLE "files" ADD CONSTRAINT "c" CHECK (size > 0) NOT VALID;',
    'ALTER TABLE "files" VALIDATE CONSTRAINT "c";',
  ]
  expect(partsOf({ sql: steps }).apart).toEqual([steps[1]])
  expect(await complaintsAbout(steps)).toEqual([])
})

test('keeps only the snapshot of the newest migration, which the next one is compared with', () => {
  const snapshots = readdirSync(`${MIGRATIONS}/meta`).filter((name) => name.endsWith('_snapshot.json'))
  const newest = journal.entries.at(-1)?.tag.slice(0, 4)
  expect(snapshots).toEqual([`${newest}_snapshot.json`])
})
