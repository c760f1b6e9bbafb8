/** A queue of ten thousand: what its first page reads, by the plans of its queries rather than by the clock. */
import { randomBytes } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKeys } from '../../dev/launcher/secrets.ts'
import { listQueue } from '../../src/db/cases/queue.ts'
import { type DatabasePool, openDatabase } from '../../src/db/connection/database.ts'
import { createLogger } from '../../src/process/log.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import { cloneDatabase, dropDatabase } from '../support/database.ts'

const WAITING = 10_000
const PER_PAGE = 50
/** As long as what is sealed, so that rows are as far apart as they are. */
const SEALED = Buffer.alloc(1_200)
const name = `test_${randomBytes(6).toString('hex')}`
let db: DatabasePool

beforeAll(async () => {
  db = openDatabase(await cloneDatabase(name), createEncryption(newKeys()), createLogger('silent', 'test'))
  // Half of what there is waits; every second is an application.
  await db.orm.execute(sql`INSERT INTO vaults (id, name) VALUES (uuidv7(), 'Analytical Engines')`)
  await db.orm.execute(sql`
    INSERT INTO identifications (id, vault_id, external_uuid, kind, origin, verification, status, waiting_on,
      waiting_since, awaits_kyb, profile)
    SELECT uuidv7(), vaults.id, n::text, 'person', 'soft_kyc', 'initiated', 'initiated',
      CASE WHEN n <= ${WAITING / 2}::int THEN 'operator' ELSE 'nobody' END,
      now() - n * interval '1 minute', false, ${SEALED}::bytea
    FROM vaults, generate_series(1, ${WAITING}::int) AS n`)
  await db.orm.execute(sql`
    INSERT INTO kyb_applications (id, vault_id, identification_id, external_id, client_kyc, internal,
      password_hash, status, completed, waiting_on, waiting_since, currently_due, content)
    SELECT uuidv7(), vault_id, id, external_uuid, false, false, ''::bytea,
      CASE waiting_on WHEN 'nobody' THEN 'processed' ELSE 'open' END, true, waiting_on, waiting_since, '{}', ${SEALED}::bytea
    FROM identifications`)
  await db.orm.execute(sql`VACUUM ANALYZE identifications, kyb_applications`)
})
afterAll(async () => {
  await db.end()
  await dropDatabase(name)
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly Plans?: readonly Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** The scans of each query, and how many rows they gave. */
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
  await listQueue({ ...db, orm: orm as never }, { page: 1, per_page: PER_PAGE }, { waitingOn: 'operator' })
  return scans
}

test('its first page reads no more rows of each table than a page has', async () => {
  const [page = [], count = []] = await scansOfFirstPage()
  expect(page.map(({ type }) => type)).toEqual(['Index Scan', 'Index Scan'])
  // What waits since the same moment is sorted in groups, which end a little after the page does.
  for (const { rows } of page) expect(rows).toBeLessThan(2 * PER_PAGE)
  // What does not wait is not counted along.
  expect(count.map(({ rows }) => rows)).toEqual([WAITING / 2, WAITING / 2])
})
