/** Tests that new migrations do not block reads or writes of a large table. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import journal from '../../../drizzle/migrations/meta/_journal.json' with { type: 'json' }
import { MIGRATIONS, partsOf } from '../../../src/db/connection/migrate.ts'

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

/** Returns the complaints about each list of statements. One process reads them all, because each start is slow. */
async function complaints(lists: readonly string[][], ...options: string[]): Promise<string[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-unit-'))
  const files = lists.map((statements, n) => {
    writeFileSync(join(folder, `${n}.sql`), statements.join('\n'))
    return join(folder, `${n}.sql`)
  })
  const { stdout } = await execa({
    reject: false,
    preferLocal: true,
  })`squawk --reporter=json --pg-version=18 --exclude=${[...COVERED, ...TASTE].join(',')} ${options} ${files}`
  rmSync(folder, { recursive: true })
  const found: Record<string, string>[] = JSON.parse(stdout)
  return files.map((name) =>
    found
      .filter(({ file }) => file === name)
      .map(({ rule_name, message, help }) => `${rule_name}: ${message} ${help ?? ''}`),
  )
}

async function complaintsAbout(migrations: readonly string[][]): Promise<string[][]> {
  const parts = migrations.map((sql) => partsOf({ sql }))
  const [together, apart] = await Promise.all([
    complaints(
      parts.map((part) => part.together),
      '--assume-in-transaction',
    ),
    complaints(parts.map((part) => part.apart)),
  ])
  return parts.map((part, n) => {
    const moving = part.together.filter(
      (statement) =>
        /^\s*(UPDATE|DELETE|TRUNCATE|LOCK|INSERT)\s/im.test(statement) &&
        !/^CREATE (OR REPLACE )?FUNCTION /m.test(statement),
    )
    return [
      ...moving.map((statement) => `moves rows, which a command does in batches: ${statement}`),
      ...(together[n] ?? []),
      ...(apart[n] ?? []),
    ]
  })
}

const NEW = journal.entries.slice(LINTED_FROM)
const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS })
const newComplaints = await complaintsAbout(NEW.map(({ idx }) => migrations[idx]?.sql ?? []))

test.each(NEW.map(({ tag }, n) => [tag, n] as const))('%s holds no lock for long', (_, n) => {
  expect(newComplaints[n]).toEqual([])
})

test('every migration is newer than the earlier ones, because the newest determines which were applied', () => {
  const times = journal.entries.map(({ when }) => when)
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
})

const REFUSED = [
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
] as const
test('refuses statements that lock a large table', async () => {
  const found = await complaintsAbout(REFUSED.map(([, statement]) => [statement]))
  expect(REFUSED.filter((_, n) => found[n]?.length === 0)).toEqual([])
})

const ACCEPTED = [
  [
    'a new table with its indexes',
    'CREATE TABLE "t" ("id" uuid PRIMARY KEY, "n" text);\nCREATE INDEX "i" ON "t" ("n");',
  ],
  ['a column with a default', 'ALTER TABLE "files" ADD COLUMN "x" integer DEFAULT 0 NOT NULL;'],
  ['an index built concurrently', 'CREATE INDEX CONCURRENTLY "i" ON "files" USING btree ("name");'],
  ['an index dropped concurrently', 'DROP INDEX CONCURRENTLY "files_unattached";'],
] as const
test('accepts statements that lock no large table', async () => {
  const found = await complaintsAbout(ACCEPTED.map(([, statement]) => [statement]))
  expect(found).toEqual(ACCEPTED.map(() => []))
})

test('adds a constraint in two steps', async () => {
  const steps = [
    'ALTER TABLE "files" ADD CONSTRAINT "c" CHECK (size > 0) NOT VALID;',
    'ALTER TABLE "files" VALIDATE CONSTRAINT "c";',
  ]
  expect(partsOf({ sql: steps }).apart).toEqual([steps[1]])
  expect(await complaintsAbout([steps])).toEqual([[]])
})

test('keeps only the snapshot of the newest migration, which the next one is compared with', () => {
  const snapshots = readdirSync(`${MIGRATIONS}/meta`).filter((name) => name.endsWith('_snapshot.json'))
  const newest = journal.entries.at(-1)?.tag.slice(0, 4)
  expect(snapshots).toEqual([`${newest}_snapshot.json`])
})
