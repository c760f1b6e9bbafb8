/** Tests that an index finds the entities that are due for screening. */
import { randomBytes } from 'node:crypto'
import { afterAll, expect, test, vi } from 'vitest'
import { findDueForScreening } from '../../src/db/screening/screening.ts'
import { cloneDatabase, dropDatabase, openDatabase } from '../support/database.ts'

const name = `test_${randomBytes(6).toString('hex')}`
const db = openDatabase(await cloneDatabase(name))
afterAll(async () => {
  await db.end()
  await dropDatabase(name)
})

test('reads due entities from the screening indexes', async () => {
  const { $client } = db.orm
  const query = vi.spyOn($client, 'unsafe')
  await findDueForScreening(db, 'v2', 500)
  const queries = query.mock.calls.map(([query, values]) => ({ query, values }))
  query.mockRestore()
  const plans = await $client.begin(async (tx) => {
    await tx.unsafe('SET LOCAL enable_seqscan = off', [])
    const found = []
    for (const { query, values } of queries) found.push(await tx.unsafe(`EXPLAIN ${query}`, values))
    return found.map((plan) => JSON.stringify(plan))
  })
  const indexOf = (plan: string) => /Index Scan (?:using|on) (\w+)/.exec(plan)?.[1]
  expect(plans.map(indexOf)).toEqual([
    ...Array(3).fill('kyb_applications_screened'),
    ...Array(3).fill('identifications_screened'),
  ])
})
