/** A step of housekeeping that is slow, or something that always fails, keeps nothing else from being done. */
import postgres from 'postgres'
import { v7 as newId } from 'uuid'
import { afterAll, expect, test } from 'vitest'
import { counters, holds } from '../../drizzle/schema.ts'
import { findHold } from '../../src/db/cases/hold.ts'
import type { HousekeepingResult } from '../../workflows/activities.ts'
import { imported, softKyc } from '../support/identification.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { reconcile } from '../support/webhook.ts'

const gatehouse = await startInstance()
const { db, api, temporal } = gatehouse
// So that all passes are those of the tests.
await temporal.schedule.getHandle('gatehouse-housekeeping').pause()
await gatehouse.startWorker()
afterAll(() => gatehouse.stop())

const housekeep = async () => (await reconcile(gatehouse)) as HousekeepingResult
const failed = (result: HousekeepingResult) =>
  Object.entries(result).filter(([, outcome]) => typeof outcome === 'string')

/** Cases that were opened a minute ago, of which their workflow has not heard; gives their ids. */
async function findUndeliveredCases(identificationId: string, reason: string, count = 1): Promise<string[]> {
  const cases = Array.from({ length: count }, () => ({
    id: newId(),
    identificationId,
    owner: 'operator_operations' as const,
    services: ['trades' as const],
    reason,
    openedBy: 'operator:x',
    openedAt: new Date(Date.now() - 60_000),
  }))
  await db.orm.insert(holds).values(cases)
  return cases.map(({ id }) => id)
}
const untilHeard = (caseId: string) =>
  eventually(async () => expect((await findHold(db, caseId))?.appliedAt).not.toBeNull())

test('a table that is locked keeps nothing but its own step from being done', async () => {
  const [caseId = ''] = await findUndeliveredCases(await imported(api), 'aml_review')
  await db.orm.insert(counters).values({ key: unique(), points: 1, expiresAt: new Date(0) })
  const other = postgres(gatehouse.env.DATABASE_URL, { max: 1 })
  const result = await other.begin(async (tx) => {
    await tx`LOCK TABLE idempotency_keys, files`
    return housekeep()
  })
  await other.end()
  expect(failed(result)).toEqual([
    ['deleteOldIdempotencyKeys', 'failed'],
    ['sweepFiles', 'failed'],
  ])
  expect(result).toMatchObject({ deleteExpiredCounters: 1, tellCases: 1 })
  await untilHeard(caseId)
  expect(failed(await housekeep())).toEqual([])
})

test('cases that cannot be told, however many, keep those behind them waiting for a pass alone', async () => {
  const closed = await softKyc(api)
  expect((await api.put(`/identifications/${closed}/close`)).status).toBe(200)
  await findUndeliveredCases(closed, 'poison', 200)
  // Whatever touches one of them fails.
  await gatehouse.asOwner(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE 'a row that fails'; END $$`)
  await gatehouse.asOwner(`CREATE TRIGGER fail BEFORE UPDATE ON holds FOR EACH ROW
    WHEN (OLD.reason = 'poison') EXECUTE FUNCTION fail()`)
  const [caseId = ''] = await findUndeliveredCases(await imported(api), 'aml_review')

  expect(failed(await housekeep())).toEqual([['tellCases', '200 of 200 failed']])
  expect(await housekeep()).toMatchObject({ tellCases: 1 })
  await untilHeard(caseId)
})
