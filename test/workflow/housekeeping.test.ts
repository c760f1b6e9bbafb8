/** Tests that a slow or failing step of housekeeping does not affect the others. */
import postgres from 'postgres'
import { v7 as newId } from 'uuid'
import { afterAll, expect, test } from 'vitest'
import { counters, holds } from '../../drizzle/schema.ts'
import { findHold } from '../../src/db/cases/hold.ts'
import { holdLifted, holdPlaced } from '../../src/domain/identification/identification.ts'
import type { HousekeepingResult } from '../../workflows/activities.ts'
import { createImported, createSoftKyc } from '../support/identification.ts'
import { eventually, startInstance, unique } from '../support/instance.ts'
import { insertLostFact } from '../support/pending-fact.ts'
import { reconcile, stopScheduledPasses } from '../support/webhook.ts'

const gatehouse = await startInstance()
const { db, api } = gatehouse
await stopScheduledPasses(gatehouse)
await gatehouse.startWorker()
afterAll(() => gatehouse.stop())

const housekeep = async () => (await reconcile(gatehouse)) as HousekeepingResult
const failed = (result: HousekeepingResult) =>
  Object.entries(result).filter(([, outcome]) => typeof outcome === 'string')

/** Opens a case one minute ago without a signal to its workflow. Returns the ID of the case. */
async function openUnsignalledCase(identificationId: string): Promise<string> {
  const opened = {
    id: newId(),
    owner: 'operator_operations' as const,
    services: ['trades' as const],
    reason: 'aml_review' as const,
  }
  await db.orm.insert(holds).values({ ...opened, identificationId, openedBy: 'operator:x' })
  const target = { entity: 'identification', id: identificationId, vaultId: gatehouse.vaultId } as const
  await insertLostFact(gatehouse, identificationId, target, holdPlaced(opened))
  return opened.id
}
const untilApplied = (caseId: string) =>
  eventually(async () => expect((await findHold(db, caseId))?.appliedAt).not.toBeNull())

test('only the steps that need a locked table fail', async () => {
  const caseId = await openUnsignalledCase(await createImported(api))
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
  expect(result).toMatchObject({ deleteExpiredCounters: 1, sendPendingFacts: 1 })
  await untilApplied(caseId)
  expect(failed(await housekeep())).toEqual([])
})

test('facts that cannot be sent delay later ones by only one pass', async () => {
  const closed = await createSoftKyc(api)
  expect((await api.put(`/identifications/${closed}/close`)).status).toBe(200)
  // Deleting these facts fails, and the IDs of their sources sort before all others.
  const target = { entity: 'identification', id: closed, vaultId: gatehouse.vaultId } as const
  for (let n = 0; n < 200; n += 1) {
    const sourceId = `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
    await insertLostFact(gatehouse, sourceId, target, { ...holdLifted(newId()), id: `poison-${n}` })
  }
  await gatehouse.asOwner(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE 'a row that fails'; END $$`)
  await gatehouse.asOwner(`CREATE TRIGGER fail BEFORE DELETE ON pending_facts FOR EACH ROW
    WHEN (OLD.id LIKE 'poison-%') EXECUTE FUNCTION fail()`)
  const caseId = await openUnsignalledCase(await createImported(api))

  expect(failed(await housekeep())).toEqual([['sendPendingFacts', '200 of 200 failed']])
  expect(await housekeep()).toMatchObject({ sendPendingFacts: 1 })
  await untilApplied(caseId)
})
