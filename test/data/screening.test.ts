/** Who is due for screening: found by an index, and after an upgrade those too whom older versions left out. */
import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { afterAll, expect, test, vi } from 'vitest'
import { newKeys } from '../../dev/launcher/secrets.ts'
import journal from '../../drizzle/migrations/meta/_journal.json' with { type: 'json' }
import { dueForScreening } from '../../src/db/cases/screening.ts'
import { openDatabase } from '../../src/db/connection/database.ts'
import { MIGRATIONS } from '../../src/db/connection/migrate.ts'
import { createLogger } from '../../src/process/log.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import { cloneDatabase, dropDatabase } from '../support/database.ts'

const name = `test_${randomBytes(6).toString('hex')}`
const db = openDatabase(
  await cloneDatabase(name),
  createEncryption(newKeys()),
  createLogger('silent', 'test'),
)
afterAll(async () => {
  await db.end()
  await dropDatabase(name)
})

test('is read from an index of its own, whoever it is', async () => {
  const { $client } = db.orm
  const asked = vi.spyOn($client, 'unsafe')
  await dueForScreening(db, 'v2', 500)
  const queries = asked.mock.calls.map(([query, values]) => ({ query, values }))
  asked.mockRestore()
  const plans = await $client.begin(async (tx) => {
    await tx.unsafe('SET LOCAL enable_seqscan = off', [])
    const found = []
    for (const { query, values } of queries) found.push(await tx.unsafe(`EXPLAIN ${query}`, values))
    return found.map((plan) => JSON.stringify(plan))
  })
  const indexOf = (plan: string) => /Index Scan (?:using|on) (\w+)/.exec(plan)?.[1]
  expect(plans.map(indexOf)).toEqual([
    ...Array(3).fill('kyb_applications_screening'),
    ...Array(3).fill('identifications_screened'),
  ])
})

test('an appeal of before that asks for more is marked by the migration; what was never heard is not', async () => {
  await db.orm.execute(sql`INSERT INTO vaults (id, name) VALUES (uuidv7(), 'Analytical Engines')`)
  await db.orm.execute(sql`
    INSERT INTO identifications (id, vault_id, external_uuid, kind, origin, verification, status, waiting_on,
      awaits_kyb, profile)
    SELECT uuidv7(), vaults.id, said.name, 'company', 'kyb_application', verification, verification, 'nobody',
      awaits_kyb, ''
    FROM vaults, (VALUES ('asked for more', 'initiated', false), ('about to be rejected', 'initiated', true),
      ('rejected', 'rejected', false), ('closed', 'closed', false)) AS said (name, verification, awaits_kyb)`)
  await db.orm.execute(sql`
    INSERT INTO kyb_applications (id, vault_id, identification_id, external_id, client_kyc, internal,
      password_hash, status, completed, waiting_on, currently_due, content, review_outcome)
    SELECT uuidv7(), vault_id, id, external_uuid, false, false, '', 'processed', false, 'nobody', '{}', '', 'rejected'
    FROM identifications`)
  const { idx } = journal.entries.find(({ tag }) => tag === '0027_appeals_screened') ?? { idx: -1 }
  const [update = ''] = readMigrationFiles({ migrationsFolder: MIGRATIONS })[idx]?.sql ?? []
  await db.orm.execute(sql.raw(update))
  const marked = await db.orm.execute(sql`SELECT external_id FROM kyb_applications WHERE appealed`)
  expect(marked).toEqual([{ external_id: 'asked for more' }])
})
