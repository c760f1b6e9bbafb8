/** Tests the hashing of passwords, and that it does not occupy all threads. */
import { stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from '../../../src/use-cases/credentials/password-hash.ts'

test('verifies a password by its hash, and rejects every password if there is no hash', async () => {
  const hash = await hashPassword('right')
  expect(await verifyPassword(hash, 'right')).toBe(true)
  expect(await verifyPassword(hash, 'wrong')).toBe(false)
  expect(await verifyPassword(null, 'nobody has this password')).toBe(false)
})

test('leaves threads free for files during many verifications', async () => {
  let verified = 0
  const flood = Array.from({ length: 20 }, () => verifyPassword(null, 'x').then(() => void verified++))
  await new Promise((resolve) => setImmediate(resolve))
  for (let n = 0; n < 3; n++) await stat('.')
  expect(verified).toBeLessThan(10)
  await Promise.all(flood)
})
