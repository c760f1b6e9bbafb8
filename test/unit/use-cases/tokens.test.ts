/** Tests access tokens and their signing keys: when a key signs, and how long old keys verify. */
import { decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, test } from 'vitest'
import type { SigningKey } from '../../../src/db/access/signing-key.ts'
import { createTokens } from '../../../src/use-cases/credentials/tokens.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function makeKey(id: string, madeAt: number) {
  const pair = await generateKeyPair('EdDSA', { extractable: true })
  const privateJwk = await exportJWK(pair.privateKey)
  return {
    id,
    madeAt,
    privateJwk: () => privateJwk,
    publicJwk: await exportJWK(pair.publicKey),
  }
}

/** Creates processes that share the table of keys, at a time that the test sets. */
function processes() {
  const table: Awaited<ReturnType<typeof makeKey>>[] = []
  const world = { now: Date.parse('2030-01-01T00:00:00Z'), reads: 0, isDown: false }
  const read = async (): Promise<SigningKey[]> => {
    world.reads += 1
    if (world.isDown) throw new Error('PostgreSQL is unavailable')
    return table.map(({ madeAt, ...key }) => ({ ...key, ageMs: world.now - madeAt }))
  }
  const start = (environment = 'sandbox') => createTokens(read, environment, () => world.now)
  const rotate = async (id: string) => void table.unshift(await makeKey(id, world.now))
  return { table, world, start, rotate }
}

const CLAIMS = {
  userId: '018f0000-0000-7000-8000-000000000000',
  version: 3,
  vaults: [{ id: 'v', name: 'A vault', roles: ['api_read'] }],
}
const kidOf = (token: string) => decodeProtectedHeader(token).kid

test('returns the claims of a token for one hour after its signing', async () => {
  const { world, start, rotate } = processes()
  await rotate('k1')
  const tokens = start()
  const { token, expiresAt } = await tokens.sign('client', CLAIMS)
  expect(await start().verify('client', token)).toEqual({ ...CLAIMS, expiresAt })
  world.now += HOUR - 1_000
  expect(await tokens.verify('client', token)).not.toBeNull()
  world.now = expiresAt * 1_000
  expect(await tokens.verify('client', token)).toBeNull()
})

test('tokens have a separate audience for each environment and type of caller', async () => {
  const { start, rotate } = processes()
  await rotate('k1')
  const { token } = await start().sign('client', CLAIMS)
  expect(await start().verify('operator', token)).toBeNull()
  expect(await start('production').verify('client', token)).toBeNull()
})

describe('a new key', () => {
  test('signs only after every process has had time to read it', async () => {
    const { world, start, rotate } = processes()
    await rotate('k1')
    world.now += HOUR
    const [one, other] = [start(), start()]
    const before = await one.sign('client', CLAIMS)
    await rotate('k2')
    for (let seconds = 0; seconds < 120; seconds += 1, world.now += 1_000) {
      const { token } = await one.sign('client', CLAIMS)
      expect(await other.verify('client', token)).not.toBeNull()
      if (seconds < 60) expect(kidOf(token)).toBe('k1')
      if (seconds > 80) expect(kidOf(token)).toBe('k2')
    }
    expect(await other.verify('client', before.token)).not.toBeNull()
  })

  test('leaves the old key valid until its last token has expired', async () => {
    const { table, world, start, rotate } = processes()
    await rotate('k1')
    const tokens = start()
    await rotate('k2')
    world.now += 59_000
    const last = await tokens.sign('client', CLAIMS)
    expect(kidOf(last.token)).toBe('k1')
    world.now += HOUR - 1_000
    expect(await tokens.verify('client', last.token)).not.toBeNull()
    world.now += 3 * MINUTE
    // The old key is no longer accepted, so its holder cannot sign new tokens.
    const old = table.at(-1)
    if (!old) throw new Error('the key is gone')
    const forged = await createTokens(
      async () => [{ ...old, ageMs: HOUR }],
      'sandbox',
      () => world.now,
    )
    const { token } = await forged.sign('client', CLAIMS)
    expect(kidOf(token)).toBe('k1')
    expect(await tokens.verify('client', token)).toBeNull()
  })
})

test('does not sign with a key that cannot be decrypted, but still verifies its tokens', async () => {
  const { table, start, rotate } = processes()
  await rotate('k1')
  const { token } = await start().sign('client', CLAIMS)
  Object.assign(table[0] ?? {}, {
    privateJwk() {
      throw new Error('it cannot be decrypted')
    },
  })
  expect(await start().verify('client', token)).not.toBeNull()
  await expect(start().sign('client', CLAIMS)).rejects.toThrow()
})

test('reads the keys at most once in 20 seconds', async () => {
  const { world, start, rotate } = processes()
  await rotate('k1')
  const tokens = start()
  const { token } = await tokens.sign('client', CLAIMS)
  await Promise.all(Array.from({ length: 50 }, () => tokens.verify('client', token)))
  expect(world.reads).toBe(1)
  world.now += 21_000
  await Promise.all(Array.from({ length: 50 }, () => tokens.verify('client', token)))
  expect(world.reads).toBe(2)
})

test('verifies known tokens but signs none while PostgreSQL is unavailable', async () => {
  const { world, start, rotate } = processes()
  await rotate('k1')
  const tokens = start()
  const { token } = await tokens.sign('client', CLAIMS)
  world.now += 10 * MINUTE
  world.isDown = true
  expect(await tokens.verify('client', token)).not.toBeNull()
  await expect(tokens.sign('client', CLAIMS)).rejects.toThrow()
  await expect(start().verify('client', token)).rejects.toThrow()
})
