/**
 * Tests how many rows the first pages of a queue and lists of 10,000 entities read, from their query plans.
 */
import { randomBytes } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listIdentifications } from '../../src/db/cases/identification.ts'
import { listKybApplications } from '../../src/db/cases/kyb-application-list.ts'
import type { Database, DatabasePool } from '../../src/db/connection/database.ts'
import { hashFact } from '../../src/db/lists/filter-columns.ts'
import { lookUpCases } from '../../src/db/lists/lookup.ts'
import { listQueue, readCountries, readQueue } from '../../src/db/lists/queue.ts'
import { PARTIES, REVIEW_STATES } from '../../src/domain/decision/review-progress.ts'
import { countCases, listCases, readQueueDetails, readQueuePage } from '../../src/use-cases/review/queue.ts'
import { cloneDatabase, dropDatabase, openDatabase } from '../support/database.ts'
import { nodesOf, openPlanned, type Plan, rowsReadBy } from '../support/query-plan.ts'

const WAITING = 10_000
const PER_PAGE = 50
/** These bytes are as long as real encrypted values, so that rows occupy a realistic number of pages. */
const SEALED = Buffer.alloc(1_200)
const name = `test_${randomBytes(6).toString('hex')}`
let url: string
let db: DatabasePool

beforeAll(async () => {
  url = await cloneDatabase(name)
  db = openDatabase(url)
  // Half of the entities wait, and each has an application.
  await db.orm.execute(sql`INSERT INTO vaults (id, name) VALUES (uuidv7(), 'Analytical Engines')`)
  await db.orm.execute(sql`
    INSERT INTO identifications (id, vault_id, external_uuid, kind, origin, verification, status, waiting_on,
      waiting_since, awaits_kyb, profile, country_hash, risk_hashes)
    SELECT uuidv7(), vaults.id, n::text, 'person', 'soft_kyc', 'initiated', 'initiated',
      CASE WHEN n <= ${WAITING / 2}::int THEN 'operator' ELSE 'nobody' END,
      now() - n * interval '1 minute', false, ${SEALED}::bytea, country, ARRAY[country]
    FROM vaults, generate_series(1, ${WAITING}::int) AS n, LATERAL (
      SELECT CASE n % 100 WHEN 0 THEN ${hashFact(db, 'IR')} ELSE ${hashFact(db, 'GB')} END AS country) AS of_countries`)
  await db.orm.execute(sql`
    INSERT INTO kyb_applications (id, vault_id, identification_id, external_id, client_kyc, internal,
      password_hash, status, completed, waiting_on, waiting_since, currently_due, content, country_hash, risk_hashes)
    SELECT uuidv7(), vault_id, id, external_uuid, false, false, ''::bytea,
      CASE waiting_on WHEN 'nobody' THEN 'processed' ELSE 'open' END, true, waiting_on, waiting_since, '{}',
      ${SEALED}::bytea, country_hash, risk_hashes
    FROM identifications`)
  await db.orm.execute(sql`VACUUM ANALYZE identifications, kyb_applications`)
})
afterAll(async () => {
  await db.end()
  await dropDatabase(name)
})

/** Returns the scans of each query with their number of rows. */
async function scansOfFirstPage() {
  const scans: { type: string; rows: number }[][] = []
  const orm = {
    execute: async (query: SQL) => {
      const [row] = await db.orm.execute<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        sql`EXPLAIN (ANALYZE, FORMAT JSON) ${query}`,
      )
      const nodes = nodesOf(row?.['QUERY PLAN'][0].Plan as Plan)
      scans.push(
        nodes
          .map((node) => ({ type: node['Node Type'], rows: node['Actual Rows'] }))
          .filter(({ type }) => type.endsWith('Scan') && type !== 'Subquery Scan'),
      )
      return []
    },
  }
  await listQueue(
    { ...db, orm: orm as never },
    { page: 1, per_page: PER_PAGE },
    { waitingOn: 'operator', scope: 'all' },
    'all',
  )
  return scans
}

test('reads the first page from indexes, with fewer rows of each table than two pages show', async () => {
  const [page = [], count = []] = await scansOfFirstPage()
  expect(page.map(({ type }) => type)).toEqual(['Index Scan', 'Index Scan'])
  // Entities that began to wait at the same moment are sorted in groups, which end shortly after the page.
  for (const { rows } of page) expect(rows).toBeLessThan(2 * PER_PAGE)
  // Entities that do not wait are not counted.
  expect(count.map(({ rows }) => rows)).toEqual([WAITING / 2, WAITING / 2])
})

test('reads the cases of a country from an index, and lists all countries', async () => {
  const { client, planned, plansOf } = openPlanned(url, db.encryption)
  const filter = { waitingOn: 'operator', scope: 'all' } as const
  const page = (more: object) => readQueue(planned, { limit: PER_PAGE }, { ...filter, ...more })
  const plans = await plansOf(() => page({ country: 'IR' }))
  expect(plans).toHaveLength(1)
  expect(rowsReadBy(plans)).toBeLessThan(6 * PER_PAGE)
  expect(await page({ country: 'IR' })).toHaveLength(PER_PAGE)
  // The filter for risks reads the waiting cases in order, until it has found enough.
  expect(await plansOf(() => page({ riskLevel: 'high' }))).toHaveLength(1)
  const [high, ofCountry] = [await page({ riskLevel: 'high' }), await page({ country: 'IR' })]
  expect(high.map(({ id }) => id)).toEqual(ofCountry.map(({ id }) => id))
  expect(await readCountries(planned, filter)).toEqual(['GB', 'IR'])
  await client.end()
})

describe('the database', () => {
  const FEW = 20
  const vaultId = '00000000-0000-4000-8000-000000000001'
  const BY = { actor: 'nobody', address: null }
  const REVIEWER = { grants: [{ role: 'reviewer', vaultId: null }] } as const
  const SINCE = new Date('2026-01-01T00:00:00Z')
  let opened: ReturnType<typeof openPlanned>
  let listing: Database

  beforeAll(async () => {
    opened = openPlanned(url, db.encryption)
    listing = opened.planned
    const { client } = opened
    await client`DELETE FROM kyb_applications`
    await client`DELETE FROM identifications`
    await client`INSERT INTO vaults (id, name) VALUES (${vaultId}, 'Looms')`
    // Six groups of FEW entities are open or decided. All others are closed. FEW have changed since SINCE.
    await client`
      INSERT INTO identifications (id, vault_id, external_uuid, kind, origin, verification, status, waiting_on,
        awaits_kyb, profile, review, updated_at)
      SELECT uuidv7(), ${vaultId}, 'looms ' || n, 'person', 'hosted', verification, verification,
        CASE WHEN verification <> 'initiated' THEN 'nobody'
          ELSE (ARRAY['client', 'applicant', 'provider', 'operator'])[(n - 1) / ${FEW}::int - 1] END,
        false, ${SEALED}, CASE WHEN n % 2 = 0 THEN ${SEALED}::bytea END,
        ${SINCE.toISOString()}::timestamptz + (${FEW}::int - n) * interval '1 second'
      FROM (SELECT n, (ARRAY['rejected', 'approved', 'initiated', 'initiated', 'initiated', 'initiated', 'closed'])
          [least((n - 1) / ${FEW}::int + 1, 7)] AS verification
        FROM generate_series(1, ${WAITING}::int) AS n) AS made`
    await client`
      INSERT INTO kyb_applications (id, vault_id, identification_id, external_id, client_kyc, internal,
        password_hash, status, completed, waiting_on, review_outcome, currently_due, content, updated_at)
      SELECT uuidv7(), vault_id, id, external_uuid, false, false, ''::bytea,
        CASE verification WHEN 'initiated' THEN 'open' WHEN 'closed' THEN 'abandoned' ELSE 'processed' END, true,
        CASE waiting_on WHEN 'applicant' THEN 'client' WHEN 'provider' THEN 'operator' ELSE waiting_on END,
        CASE WHEN verification IN ('approved', 'rejected') THEN verification
          WHEN verification = 'initiated' AND review IS NOT NULL THEN 'revision_requested' END,
        '{}', ${SEALED}, updated_at
      FROM identifications WHERE vault_id = ${vaultId}`
    await client`VACUUM ANALYZE identifications`
    await client`VACUUM ANALYZE kyb_applications`
  })
  afterAll(() => opened.client.end())

  /** Returns the number of rows that the page and the count read, including filtered rows. */
  async function rowsRead(list: () => Promise<unknown>): Promise<number> {
    const plans = await opened.plansOf(list)
    expect(plans.length).toBeGreaterThan(1)
    return rowsReadBy(plans)
  }

  test.each(['kyb', 'identification'] as const)(
    'reads 20 entries of kind %s with as many queries as for one entry',
    async (kind) => {
      const queries = async (per_page: number) => {
        const filter = { waitingOn: 'operator', kind, scope: 'all' } as const
        opened.sent.length = 0
        const page = await readQueuePage({ db: listing }, REVIEWER, filter, { page: 1, per_page })
        expect(page.entries).toHaveLength(per_page)
        await readQueueDetails({ db: listing }, BY, page, 'all', filter)
        return opened.sent.length
      }
      expect(await queries(FEW)).toBe(await queries(1))
    },
  )

  test('sorts all cases with an index, newest first', async () => {
    const page = { page: 1, per_page: PER_PAGE }
    const [plan] = await opened.plansOf(() => listCases({ db: listing }, BY, { scope: 'all' }, page))
    const scans = nodesOf(plan as Plan).filter((node) => / Scan$/.test(node['Node Type']))
    const tables = scans.filter((node) => node['Node Type'] !== 'Subquery Scan')
    expect(tables.map((node) => node['Node Type'])).toEqual(['Index Scan', 'Index Scan'])
  })

  test('reads the cases of a country from an index, and those of a risk in the order of the list', async () => {
    const page = { page: 1, per_page: PER_PAGE }
    await opened.client`UPDATE kyb_applications SET risk_hashes = '{}', country_hash = ${hashFact(db, 'GB')}`
    await opened.client`UPDATE identifications SET risk_hashes = '{}', country_hash = ${hashFact(db, 'GB')}`
    for (const table of ['kyb_applications', 'identifications'])
      await opened.client.unsafe(`UPDATE ${table} SET country_hash = '${hashFact(db, 'IS')}'
        WHERE id IN (SELECT id FROM ${table} ORDER BY created_at LIMIT ${FEW})`)
    await opened.client`VACUUM ANALYZE kyb_applications`
    await opened.client`VACUUM ANALYZE identifications`
    const read = async (filter: object) => {
      const [plan] = await opened.plansOf(() =>
        listCases({ db: listing }, BY, { scope: 'all', ...filter }, page),
      )
      return rowsReadBy(plan ? [plan] : [])
    }
    expect(await read({ country: 'IS' })).toBeLessThan(4 * FEW)
    expect(await read({ country: 'GB' })).toBeLessThan(4 * PER_PAGE)
    for (const kind of ['kyb', 'identification'] as const) {
      const found = () =>
        lookUpCases(listing, kind, { scope: 'all', country: 'IS' }, { page: 1, per_page: 25 })
      expect(rowsReadBy(await opened.plansOf(found))).toBeLessThan(20 * FEW)
    }
    expect(await read({ riskLevel: 'low' })).toBeLessThan(10 * PER_PAGE)
    expect(
      await opened.plansOf(() => countCases({ db: listing }, { scope: 'all', country: 'IS' }, 1_000)),
    ).toHaveLength(1)
  })

  const MOST = WAITING / 5
  const PAGE = { page: 1, per_page: PER_PAGE }
  const TURNS = [
    ...PARTIES.map((waitingOn) => ({ waitingOn })),
    ...REVIEW_STATES.map((review) => ({ review })),
    { updatedSince: SINCE },
  ]
  const STATUSES = ['rejected', 'approved', 'attention', 'blocked'] as const
  test.each(TURNS)('reads less than a fifth of the rows to list applications by %o', async (filter) => {
    expect(await rowsRead(() => listKybApplications(listing, vaultId, PAGE, filter))).toBeLessThan(MOST)
  })
  test.each([...TURNS, ...STATUSES.map((status) => ({ status }))])(
    'reads less than a fifth of the rows to list identifications by %o',
    async (filter) => {
      expect(await rowsRead(() => listIdentifications(listing, vaultId, PAGE, filter))).toBeLessThan(MOST)
    },
  )
})
