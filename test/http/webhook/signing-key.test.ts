/** Tests the keys that sign access tokens: creation, rotation by age or by hand, and use by several processes. */
import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { signingKeys } from '../../../drizzle/schema.ts'
import { readSigningKeys, rotateSigningKey } from '../../../src/db/access/signing-key.ts'
import { createTokens } from '../../../src/use-cases/credentials/tokens.ts'
import { startInstance } from '../../support/instance.ts'

const gatehouse = await startInstance()
afterAll(() => gatehouse.stop())
beforeEach(async () => {
  await gatehouse.db.orm.delete(signingKeys)
})

const age = (interval: string) =>
  gatehouse.db.orm
    .update(signingKeys)
    .set({ createdAt: sql`${signingKeys.createdAt} - ${interval}::interval` })
const idsOf = (keys: readonly { id: string }[]) => keys.map(({ id }) => id)

test('creates one key if several processes start at the same time', async () => {
  const read = await Promise.all(Array.from({ length: 8 }, () => readSigningKeys(gatehouse.db, 30)))
  expect(new Set(read.flatMap(idsOf)).size).toBe(1)
})

test('creates one key if several processes find the newest one too old', async () => {
  const [first] = await readSigningKeys(gatehouse.db, 30)
  await age('29 days')
  expect(idsOf(await readSigningKeys(gatehouse.db, 30))).toEqual([first?.id])
  await age('2 days')
  const read = await Promise.all(Array.from({ length: 8 }, () => readSigningKeys(gatehouse.db, 30)))
  expect(new Set(read.map((keys) => idsOf(keys).join())).size).toBe(1)
  expect(read[0]).toHaveLength(2)
  expect(read[0]?.[1]?.id).toBe(first?.id)
})

test('creates a new key immediately if rotated by hand, and deletes unused keys', async () => {
  await readSigningKeys(gatehouse.db, 30)
  await age('3 hours')
  const [second] = await rotateSigningKey(gatehouse.db)
  expect(await readSigningKeys(gatehouse.db, 30)).toHaveLength(2)
  await age('3 hours')
  const keys = await rotateSigningKey(gatehouse.db)
  expect(idsOf(keys)).toEqual([keys[0]?.id, second?.id])
})

test('verifies with a new key immediately in a running process, and signs with it after one minute', async () => {
  let now = Date.now()
  const { db } = gatehouse
  const start = () =>
    createTokens(
      () => readSigningKeys(db, 30),
      'sandbox',
      () => now,
    )
  const [running, another] = [start(), start()]
  const claims = { userId: 'u', version: 0, vaults: [], mustChangePassword: false }
  const before = await running.sign('client', claims)
  const [first] = await rotateSigningKey(db)
  await age('61 seconds')
  now += 21_000
  const after = await another.sign('client', claims)
  expect(after.token.split('.')[0]).not.toBe(before.token.split('.')[0])
  expect(Buffer.from(after.token.split('.')[0] ?? '', 'base64url').toString()).toContain(first?.id)
  for (const { token } of [before, after]) expect(await running.verify('client', token)).not.toBeNull()
})

test('reads the keys again after the clock was set back', async () => {
  let now = Date.now()
  let reads = 0
  const { db } = gatehouse
  const tokens = createTokens(
    () => {
      reads += 1
      return readSigningKeys(db, 30)
    },
    'sandbox',
    () => now,
  )
  const claims = { userId: 'u', version: 0, vaults: [] }
  for (const [step, expected] of [
    [0, 1],
    [10_000, 1],
    [-5_000, 1],
    [-3_600_000, 2],
    [-1_000, 2],
  ] as const) {
    now += step
    await tokens.sign('client', claims)
    expect([step, reads]).toEqual([step, expected])
  }
})
