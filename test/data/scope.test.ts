/** Tests that queries of an operator of one vault read about as many rows as this vault has, from their plans. */
import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listAudit } from '../../src/db/audit/audit.ts'
import { listInternalHolds as listInternalCases } from '../../src/db/cases/hold.ts'
import type { DatabasePool } from '../../src/db/connection/database.ts'
import { readCases } from '../../src/db/lists/case-list.ts'
import { findDuplicateReasons, findDuplicates } from '../../src/db/lists/duplicate.ts'
import { FIGURE_QUERIES } from '../../src/db/lists/figures.ts'
import { lookUpCases } from '../../src/db/lists/lookup.ts'
import { hashesOf } from '../../src/db/lists/name-parts.ts'
import { findByNameParts } from '../../src/db/lists/name-search.ts'
import { indexNames } from '../../src/db/lists/old-names.ts'
import { listQueue, readAssignees, readCountries } from '../../src/db/lists/queue.ts'
import type { Entity } from '../../src/domain/entity/entity.ts'
import { cloneDatabase, dropDatabase, openDatabase } from '../support/database.ts'
import { openPlanned, rowsReadBy } from '../support/query-plan.ts'

/** The number of entities of each kind in the large vault. */
const MANY = Number(process.env.SCOPE_ROWS ?? 6_000)
const FEW = 20
const LARGE = '00000000-0000-4000-8000-000000000001'
const SMALL = '00000000-0000-4000-8000-000000000002'
const EMPTY = '00000000-0000-4000-8000-000000000003'
/** These bytes are as long as real encrypted values. */
const SEALED = Buffer.alloc(1_200)
const PAGE = { page: 1, per_page: 50 }
const name = `test_${randomBytes(6).toString('hex')}`
let db: DatabasePool
let opened: ReturnType<typeof openPlanned>
let ownId: string
let ownCases: { readonly kind: Entity; readonly id: string }[]

beforeAll(async () => {
  const url = await cloneDatabase(name)
  db = openDatabase(url)
  opened = openPlanned(url, db.encryption)
  const { client } = opened
  const hash = (length: number) => randomBytes(length)
  const [nameHash, emailHash, personHash, registrationHash] = [hash(32), hash(32), hash(32), hash(32)]
  const [word = ''] = hashesOf(db, ['trading'])
  await client`INSERT INTO vaults (id, name) VALUES (${LARGE}, 'Large'), (${SMALL}, 'Small'), (${EMPTY}, 'Empty')`
  // The newest entities are in the large vault. All have the same names and emails.
  for (const [vaultId, count] of [
    [SMALL, FEW],
    [LARGE, MANY],
  ] as const) {
    await client`
      INSERT INTO identifications (id, vault_id, external_uuid, kind, origin, verification, status, waiting_on,
        awaits_kyb, profile, name_hash, email_hash, person_hash)
      SELECT uuidv7(), ${vaultId}, 'person ' || n, 'person', 'hosted', 'initiated', 'initiated', 'operator', false,
        ${SEALED}, ${nameHash}, ${emailHash}, ${personHash}
      FROM generate_series(1, ${count}::int) AS n`
    await client`
      INSERT INTO kyb_applications (id, vault_id, identification_id, external_id, client_kyc, internal,
        password_hash, status, completed, waiting_on, currently_due, content, name_hash, email_hash, registration_hash)
      SELECT uuidv7(), vault_id, id, external_uuid, false, false, ''::bytea, 'open', true, 'operator', '{}', ${SEALED},
        ${nameHash}, ${emailHash}, ${registrationHash}
      FROM identifications WHERE vault_id = ${vaultId}`
    await client`
      INSERT INTO audit_log (id, actor, action, subject, vault_id, changes)
      SELECT uuidv7(), 'cli', 'vault_changed', 'vault', ${vaultId}, '{}' FROM generate_series(1, ${count}::int)`
    await client`
      INSERT INTO timeline (entity, entity_id, vault_id, action, actor, reason_code, "to", cause_id)
      SELECT 'kyb', id, vault_id, 'approve', 'cli', 'complete', 'processed', uuidv7()
      FROM kyb_applications WHERE vault_id = ${vaultId}`
  }
  // Inserts name parts without a vault, as an earlier version did, and then adds their vaults.
  await client`
    INSERT INTO name_parts (part_hash, entity_id)
    SELECT decode(${word}, 'hex'), id FROM kyb_applications UNION ALL SELECT decode(${word}, 'hex'), id FROM identifications`
  await client`UPDATE identifications SET names_spelt = true`
  await client`UPDATE kyb_applications SET names_spelt = true`
  while ((await indexNames(db)) > 0);
  await client`VACUUM ANALYZE`
  const [own] = await client`SELECT id FROM kyb_applications WHERE vault_id = ${SMALL} LIMIT 1`
  ownId = own?.id
  ownCases = await client`
    SELECT 'kyb' AS kind, id FROM kyb_applications WHERE vault_id = ${SMALL}
    UNION ALL SELECT 'identification', id FROM identifications WHERE vault_id = ${SMALL}`
})
afterAll(async () => {
  await opened.client.end()
  await db.end()
  await dropDatabase(name)
})

/** Returns the number of rows that the queries read. */
async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const plans = await opened.plansOf(work)
  expect(plans.length).toBeGreaterThan(0)
  return rowsReadBy(plans)
}

const scope = [SMALL]
const filter = { period: 30, scope } as const
const QUERIES: Record<string, () => Promise<unknown>> = {
  queue: () => listQueue(opened.planned, PAGE, { waitingOn: 'operator', scope }, scope),
  'overdue cases': () =>
    listQueue(opened.planned, PAGE, { waitingOn: 'operator', isOverdue: true, scope }, scope),
  'cases of a country': () =>
    listQueue(opened.planned, PAGE, { waitingOn: 'operator', country: 'DE', scope }, scope),
  'cases of a risk level': () =>
    listQueue(opened.planned, PAGE, { waitingOn: 'operator', riskLevel: 'high', scope }, scope),
  countries: () => readCountries(opened.planned, { waitingOn: 'operator', scope }),
  assignees: () => readAssignees(opened.planned, scope),
  'name search': () => findByNameParts(opened.planned, 'Trading', 50, scope),
  'lookup by name': () => lookUpCases(opened.planned, 'kyb', { name: 'Trading', scope }, PAGE),
  'lookup of all': () => lookUpCases(opened.planned, 'identification', { scope }, PAGE),
  cases: () => readCases(opened.planned, { limit: 50, offset: 0 }, { scope }),
  'all cases of a country': () =>
    readCases(opened.planned, { limit: 50, offset: 0 }, { scope, country: 'DE' }),
  'all cases of a risk level': () =>
    readCases(opened.planned, { limit: 50, offset: 0 }, { scope, riskLevel: 'high' }),
  'lookup by country': () => lookUpCases(opened.planned, 'identification', { country: 'DE', scope }, PAGE),
  'lookup by risk level': () => lookUpCases(opened.planned, 'kyb', { riskLevel: 'high', scope }, PAGE),
  'internal holds': () => listInternalCases(opened.planned, PAGE, { scope }),
  'audit trail': () => listAudit(opened.planned, PAGE, { scope }),
  'duplicates in the queue': () => findDuplicateReasons(opened.planned, ownCases, scope),
  'duplicates of a company': () => findDuplicates(opened.planned, { entity: 'kyb', id: ownId }, scope),
  ...Object.fromEntries(
    Object.entries(FIGURE_QUERIES).map(([each, read]) => [
      `report of ${each}`,
      () => read(opened.planned, filter, new Date()),
    ]),
  ),
}

describe('an operator of a small vault', () => {
  test.each(Object.keys(QUERIES))('reads few rows of other vaults: %s', async (query) => {
    const rows = await rowsRead(QUERIES[query] as () => Promise<unknown>)
    if (process.env.SCOPE_ROWS) console.log(query, rows)
    expect(rows).toBeLessThan(MANY / 4)
  })

  test('finds all names in the vault, however many other vaults have', async () => {
    const found = await findByNameParts(db, 'Trading', 50, scope)
    expect(found.hasMore).toBe(false)
    const [row] = await db.orm.execute<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM name_parts WHERE vault_id IS NULL`,
    )
    expect(row?.count).toBe(0)
  })

  test.each([
    ['none', [EMPTY], false],
    ['those in the large vault', [LARGE], true],
  ])('does not affect the results in another vault, where a search finds %s', async (_, of, hasMore) => {
    expect((await findByNameParts(db, 'Trading', 50, of)).hasMore).toBe(hasMore)
  })
})
