/** Tests that a recently seen caller requires neither a query nor a signature check. */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { jwtVerify } from 'jose'
import { afterAll, expect, test, vi } from 'vitest'
import { readSigningKeys } from '../../../src/db/access/signing-key.ts'
import { createAuthentication } from '../../../src/use-cases/access/authentication.ts'
import { createTokens } from '../../../src/use-cases/credentials/tokens.ts'
import { countQueries } from '../../support/database.ts'
import { startInstance } from '../../support/instance.ts'
import { createKey, signIn } from '../../support/people.ts'

// Wraps the real library to count its calls.
vi.mock('jose', async (original) => {
  const library = await original<typeof import('jose')>()
  return { ...library, jwtVerify: vi.fn(library.jwtVerify) }
})

const gatehouse = await startInstance()
const { user_email: email, user_password: password } = gatehouse.credentials
const token = (await signIn(gatehouse, 'client', { email, password })).body.data.access_token
afterAll(() => gatehouse.stop())

/**
 * Returns the authentication of a new process without known callers, and its counters. `duringLookup` is called
 * while a token is being looked up.
 */
function fresh(duringLookup: (forget: () => void) => void = () => {}) {
  const { db, config } = gatehouse
  const { authenticate, forgetCallers } = createAuthentication({
    db,
    config,
    identityProvider: null,
    tokens: createTokens(async () => {
      await setImmediate()
      duringLookup(forgetCallers)
      return readSigningKeys(db, 30)
    }, 'sandbox'),
  })
  const { asked } = countQueries(db)
  vi.mocked(jwtVerify).mockClear()
  const as = (authorization: string, audience: 'client' | 'operator' = 'client') =>
    authenticate(audience, authorization, async () => () => {})
  return { as, asked, checks: () => vi.mocked(jwtVerify).mock.calls.length }
}

test.each(['token', 'key'] as const)('looks up a %s once for a thousand requests', async (kind) => {
  const credential = kind === 'token' ? token : gatehouse.credentials.api_key
  const { as, asked, checks } = fresh()
  const callers = await Promise.all(Array.from({ length: 500 }, () => as(credential)))
  for (let n = 0; n < 500; n++) callers.push(await as(`Bearer ${credential}`))
  expect(callers.every((caller) => caller?.vaults[0]?.id === gatehouse.vaultId)).toBe(true)
  // A token requires the signing keys and the user's version. A key requires its row and an update of its last use.
  expect(asked()).toBeLessThanOrEqual(2)
  expect(checks()).toBe(kind === 'token' ? 1 : 0)
})

test('does not accept a cached caller for another audience', async () => {
  const { as } = fresh()
  for (let n = 0; n < 2; n++) {
    expect(await as(token)).not.toBeNull()
    expect(await as(token, 'operator')).toBeNull()
  }
})

test('completes a lookup during which the cache is cleared', async () => {
  const clear = vi.fn((forget: () => void) => forget())
  const { as } = fresh(clear)
  expect(await as(token, 'operator')).toBeNull()
  expect(clear).toHaveBeenCalledOnce()
  expect(await fresh((forget) => forget()).as(token)).not.toBeNull()
})

test('runs no query for a text that cannot be a key', async () => {
  const { as, asked } = fresh()
  const { api_key } = gatehouse.credentials
  const mistyped = `${api_key.slice(0, -1)}${api_key.endsWith('x') ? 'y' : 'x'}`
  for (const text of [mistyped, 'gk_test_', 'gk_live_abc', `${api_key}x`]) expect(await as(text)).toBeNull()
  expect(asked()).toBe(0)
})

test('forgets a revoked caller without a notification', async () => {
  const { id, api } = await createKey(gatehouse, { roles: ['api_read'] })
  const operator = await gatehouse.operator()
  const ended = await gatehouse.db.orm.execute(sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query ILIKE 'listen%access%'`)
  expect(ended).toHaveLength(1)
  expect((await api.get('/kyb')).status).toBe(200)
  expect((await operator.delete(`/api_keys/${id}`)).status).toBe(200)
  expect((await api.get('/kyb')).status).toBe(401)
})

test('publishes an event with one query, and remembers all callers', async () => {
  const operator = await gatehouse.operator()
  const event = { vault_id: gatehouse.vaultId, topic: 'ticket', event: 'ticket_created', attributes: {} }
  const publish = async () => expect((await operator.post('/events', event)).status).toBe(202)
  await publish()
  const { asked } = countQueries(gatehouse.db)
  await publish()
  expect(asked()).toBe(1)
})
