/** Access tokens and the keys that sign them: which key signs when, and for how long the old ones verify. */
import { decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, test } from 'vitest'
import type { SigningKey } from '../../src/db/access/signing-key.ts'
import { createTokens } from '../../src/use-cases/access/tokens.ts'

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

/** Two processes that share the table of keys, at a time that the test sets. */
function processes() {
  const table: Awaited<ReturnType<typeof makeKey>>[] = []
  const world = { now: Date.parse('2030-01-01T00:00:00Z'), reads: 0, away: false }
  const read = async (): Promise<SigningKey[]> => {
    world.reads += 1
    if (world.away) throw new Error('PostgreSQL is away')
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
  operatorRoles: [],
}
const kidOf = (token: string) => decodeProtectedHeader(token).kid

test('a token says what was signed, for an hour', async () => {
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

test('each environment and each kind of caller has an audience of its own', async () => {
  const { start, rotate } = processes()
  await rotate('k1')
  const { token } = await start().sign('client', CLAIMS)
  expect(await start().verify('operator', token)).toBeNull()
  expect(await start('production').verify('client', token)).toBeNull()
})

describe('a new key', () => {
  test('signs only when every process has had the time to read it', async () => {
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

  test('leaves the old one good until the last token it signed has expired, and no longer', async () => {
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
    // Even one that is not expired: who has the old key can sign nothing any more.
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

test('a key that does not open signs nothing, and what it has signed is verified', async () => {
  const { table, start, rotate } = processes()
  await rotate('k1')
  const { token } = await start().sign('client', CLAIMS)
  Object.assign(table[0] ?? {}, {
    privateJwk() {
      throw new Error('it does not open')
    },
  })
  expect(await start().verify('client', token)).not.toBeNull()
  await expect(start().sign('client', CLAIMS)).rejects.toThrow()
})

test('keys are read once in twenty seconds at most, however many tokens come', async () => {
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

test('while PostgreSQL is away what is known goes on verifying, and nothing is signed', async () => {
  const { world, start, rotate } = processes()
  await rotate('k1')
  const tokens = start()
  const { token } = await tokens.sign('client', CLAIMS)
  world.now += 10 * MINUTE
  world.away = true
  expect(await tokens.verify('client', token)).not.toBeNull()
  await expect(tokens.sign('client', CLAIMS)).rejects.toThrow()
  await expect(start().verify('client', token)).rejects.toThrow()
})
