/** The keys that sign access tokens: made once, rotated by age or by hand, noticed by every process. */
import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { signingKeys } from '../../drizzle/schema.ts'
import { readSigningKeys, rotateSigningKey } from '../../src/db/access/signing-key.ts'
import { createTokens } from '../../src/use-cases/access/tokens.ts'
import { startInstance } from '../support/instance.ts'

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

test('processes that start together make one key', async () => {
  const read = await Promise.all(Array.from({ length: 8 }, () => readSigningKeys(gatehouse.db, 30)))
  expect(new Set(read.flatMap(idsOf)).size).toBe(1)
})

test('when the newest is too old, processes that find it out together make one more', async () => {
  const [first] = await readSigningKeys(gatehouse.db, 30)
  await age('29 days')
  expect(idsOf(await readSigningKeys(gatehouse.db, 30))).toEqual([first?.id])
  await age('2 days')
  const read = await Promise.all(Array.from({ length: 8 }, () => readSigningKeys(gatehouse.db, 30)))
  expect(new Set(read.map((keys) => idsOf(keys).join())).size).toBe(1)
  expect(read[0]).toHaveLength(2)
  expect(read[0]?.[1]?.id).toBe(first?.id)
})

test('rotated by hand it is new at once, and keys that nothing needs are gone', async () => {
  await readSigningKeys(gatehouse.db, 30)
  await age('3 hours')
  const [second] = await rotateSigningKey(gatehouse.db)
  expect(await readSigningKeys(gatehouse.db, 30)).toHaveLength(2)
  await age('3 hours')
  const keys = await rotateSigningKey(gatehouse.db)
  expect(idsOf(keys)).toEqual([keys[0]?.id, second?.id])
})

test('a process that runs notices a new key: it verifies at once, and signs a minute later', async () => {
  let now = Date.now()
  const { db } = gatehouse
  const start = () =>
    createTokens(
      () => readSigningKeys(db, 30),
      'sandbox',
      () => now,
    )
  const [running, another] = [start(), start()]
  const claims = { userId: 'u', version: 0, vaults: [], operatorRoles: [], mustChangePassword: false }
  const before = await running.sign('client', claims)
  const [first] = await rotateSigningKey(db)
  await age('61 seconds')
  now += 21_000
  const after = await another.sign('client', claims)
  expect(after.token.split('.')[0]).not.toBe(before.token.split('.')[0])
  expect(Buffer.from(after.token.split('.')[0] ?? '', 'base64url').toString()).toContain(first?.id)
  for (const { token } of [before, after]) expect(await running.verify('client', token)).not.toBeNull()
})
