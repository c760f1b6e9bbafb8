/** Tests rate limits: counted per key across all processes, and never a reason for other failures. */
import { afterAll, describe, expect, test } from 'vitest'
import { newApiKey } from '../../../src/use-cases/credentials/api-key-text.ts'
import { createBudget } from '../../../src/use-cases/limits/budget.ts'
import { type Api, createApi } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { countQueries } from '../../support/database.ts'
import { addVault, startInstance, unique } from '../../support/instance.ts'
import { createKey } from '../../support/people.ts'
import { SECRET } from '../../support/provider.ts'

const LIMITS = {
  RATE_LIMIT_READS: '40',
  RATE_LIMIT_WRITES: '20',
  RATE_LIMIT_ANONYMOUS: '30',
  RATE_LIMIT_SETTINGS: '3',
  TRUST_PROXY: '1',
}
const READS = 40

const PROVIDER = {
  VERIFICATION_PROVIDER: 'http',
  VERIFICATION_PROVIDER_URL: 'http://127.0.0.1:9/',
  VERIFICATION_PROVIDER_SECRET: SECRET,
} as const

const gatehouse = await startInstance({ env: { ...LIMITS, ...PROVIDER } })
const operator = await gatehouse.operator()
const { DATABASE_URL, ENCRYPTION_KEYS, HASH_KEY } = gatehouse.config
const other = await startInstance({
  databaseUrl: DATABASE_URL,
  env: { ...LIMITS, TRUST_PROXY: '0', ENCRYPTION_KEYS, HASH_KEY },
})
// After a successful request, a caller is not affected when others use up the limit of its address.
expect((await operator.get('/queue')).status).toBe(200)
afterAll(async () => {
  await other.stop()
  await gatehouse.stop()
})

const newKey = () => createKey(gatehouse, { roles: ['api_read', 'api_write'] })
const many = async (count: number, request: (n: number) => ReturnType<Api['get']>) => {
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => request(n)))
  return answers.map(({ status }) => status)
}
const count = (statuses: readonly number[], status: number) =>
  statuses.filter((each) => each === status).length

describe('the limits of an API key', () => {
  test('apply to two processes together', async () => {
    const { key } = await newKey()
    const [one, two] = [gatehouse, other].map(({ baseUrl }) => createApi(`${baseUrl}/v1`, key))
    const statuses = await many(2 * READS, (n) => (n % 2 ? one : two)?.get('/kyb') ?? Promise.reject())
    // A process reserves up to a twentieth of the limit, which the other cannot use.
    expect(count(statuses, 200)).toBeLessThanOrEqual(READS)
    expect(count(statuses, 200)).toBeGreaterThanOrEqual(READS - READS / 20)
    expect(count(statuses, 200) + count(statuses, 429)).toBe(2 * READS)
    expect(await many(5, () => (two ?? gatehouse.api).get('/kyb'))).toEqual(Array(5).fill(429))
  })

  test('count reads and writes separately, and each key separately', async () => {
    const { api } = await newKey()
    expect(count(await many(READS + 5, () => api.get('/kyb')), 200)).toBe(READS)
    expect((await api.post('/kyb', { external_id: unique() })).status).toBe(201)
    expect((await (await newKey()).api.get('/kyb')).status).toBe(200)
  })

  test('appear in the response headers with the remaining requests and the time until the reset', async () => {
    const { api } = await newKey()
    const first = await api.get('/kyb')
    expect(first.headers.get('RateLimit-Policy')).toBe('"reads";q=40;w=60')
    expect(first.headers.get('RateLimit')).toMatch(/^"reads";r=39;t=[1-6]\d$/)
    expect((await api.get('/kyb')).headers.get('RateLimit')).toMatch(/^"reads";r=38;t=\d+$/)
    const write = await api.post('/kyb', {})
    expect(write.status).toBe(422)
    expect(write.headers.get('RateLimit')).toMatch(/^"writes";r=19;t=\d+$/)
    await many(READS, () => api.get('/kyb'))
    const refused = await api.get('/kyb')
    expect(refused.status).toBe(429)
    expectErrors(refused, 'rate_limited')
    expect(refused.body.errors[0].message).toBe(
      'The limit of 40 GET requests per minute is reached. Retry after the number of seconds in Retry-After.',
    )
    expect(refused.headers.get('RateLimit')).toMatch(/^"reads";r=0;t=\d+$/)
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(60)
  })
})

test('limits settings changes per vault and hour, across all its keys', async () => {
  const vault = await addVault(gatehouse)
  const key = await createKey(gatehouse, { roles: ['api_read', 'api_write'] }, vault.vaultId)
  const change = (api: Api, path: string) =>
    api.put('/users/update_webhook', { webhook_url: { ticket: [path] } })
  expect((await change(vault.api, 'https://a.example/')).status).toBe(200)
  expect((await change(key.api, 'https://b.example/')).status).toBe(200)
  expect((await key.api.post('/users/rotate_webhook_secret', {})).status).toBe(200)
  const refused = await change(vault.api, 'https://c.example/')
  expect(refused.status).toBe(429)
  expectErrors(refused, 'rate_limited')
  expect(refused.body.errors[0].message).toContain('The limit of 3 settings changes per hour')
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(60)
  expect((await vault.api.get('/users/settings')).body.data.webhook_url_list.ticket).toEqual([
    'https://b.example/',
  ])
})

test('counts requests without a token by address, including pages', async () => {
  const call = async (path: string, from: string, init: RequestInit = {}) =>
    (await fetch(gatehouse.baseUrl + path, { ...init, headers: { 'X-Forwarded-For': from } })).status
  const sign = () => call('/v1/sign_in', '198.51.100.1', { method: 'POST' })
  const paths = ['/v1/kyb', '/verify/unknown']
  const requests = Array.from({ length: 10 }, () => [
    sign(),
    ...paths.map((path) => call(path, '198.51.100.1')),
  ])
  // At the same time, so that all of them are within the minute of the limit on a busy machine.
  const statuses = await Promise.all(requests.flat())
  expect(new Set(statuses)).toEqual(new Set([401, 422, 404]))
  for (const path of ['/v1/kyb', '/verify/unknown', '/operator/v1/queue'])
    expect(await call(path, '198.51.100.1')).toBe(429)
  expect(await sign()).toBe(429)
  expect(await call('/v1/kyb', '198.51.100.2')).toBe(401)
})

describe('a flood of unauthenticated requests', () => {
  const id = unique()
  const json = { 'Content-Type': 'application/json' }
  const credentials = JSON.stringify({ email: 'nobody@example.com', password: 'a guess' })
  const REQUESTS: Record<string, (from: string) => Promise<Response>> = {
    'unknown keys': (from) => call('/v1/kyb', from, key()),
    'unknown tokens': (from) => call('/operator/v1/queue', from, 'Bearer a.b.c'),
    'sign-in to the API': (from) =>
      call('/v1/sign_in', from, '', { method: 'POST', headers: json, body: credentials }),
    'sign-in to the console': (from) => call('/console/sign_in', from, '', { method: 'POST' }),
    'an unknown cookie': (from) =>
      call(`/verify/kyb/${id}`, from, '', { headers: { Cookie: 'gatehouse_session=x' } }),
    'an unknown link': (from) => call('/verify/unknown', from),
    'callbacks of an unknown provider': (from) =>
      call(`/provider/checks/${id}`, from, '', { method: 'POST', body: '{}' }),
    'documents for an unknown provider': (from) => call('/provider/files/unknown', from),
  }
  const key = () => newApiKey('sandbox')
  const call = (path: string, from: string, authorization = '', init: RequestInit = {}) =>
    fetch(gatehouse.baseUrl + path, {
      redirect: 'manual',
      ...init,
      headers: { 'X-Forwarded-For': from, ...(authorization && { authorization }), ...init.headers },
    })

  test.each(Object.entries(REQUESTS))('runs no queries beyond the limit: %s', async (name, request) => {
    const from = `198.51.101.${Object.keys(REQUESTS).indexOf(name)}`
    const flood = async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => request(from)))
      return answers.map(({ status }) => status)
    }
    expect(count(await flood(), 429)).toBeGreaterThanOrEqual(100 - Number(LIMITS.RATE_LIMIT_ANONYMOUS))
    const { asked } = countQueries(gatehouse.db)
    expect(count(await flood(), 429)).toBe(100)
    expect(asked()).toBe(0)
  })

  test('does not affect callers that have used the same address before', async () => {
    const from = '198.51.102.1'
    const one = await newKey()
    expect((await call('/v1/kyb', from, one.key)).status).toBe(200)
    await Promise.all(Array.from({ length: 40 }, () => call('/v1/kyb', from, key())))
    // A change to a key clears the cache of callers.
    const another = await newKey()
    const known = await Promise.all(Array.from({ length: 10 }, () => call('/v1/kyb', from, one.key)))
    expect(known.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect((await call('/v1/kyb', from, another.key)).status).toBe(429)
  })

  test('runs no queries for /health and /livez, and at most one per second for /readyz', async () => {
    const { asked } = countQueries(gatehouse.db)
    const statuses = async (path: string) => {
      const answers = await Promise.all(Array.from({ length: 200 }, () => call(path, '198.51.101.99')))
      return new Set(answers.map(({ status }) => status))
    }
    expect([await statuses('/health'), await statuses('/livez')]).toEqual([new Set([200]), new Set([200])])
    expect(asked()).toBe(0)
    const since = performance.now()
    expect(await statuses('/readyz')).toEqual(new Set([200]))
    expect(asked()).toBeLessThanOrEqual(3 + (performance.now() - since) / 1_000)
  })
})

test('ignores X-Forwarded-For unless a proxy is trusted', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 31 }, async (_, n) => {
      const headers = { 'X-Forwarded-For': `198.51.100.${100 + n}` }
      return (await fetch(`${other.baseUrl}/v1/kyb`, { headers })).status
    }),
  )
  expect(count(statuses, 401)).toBeLessThanOrEqual(30)
  expect(statuses).toContain(429)
})

test('does not limit operators', async () => {
  expect(count(await many(READS + 20, () => operator.get('/queue')), 200)).toBe(READS + 20)
})

describe('a budget', () => {
  const budget = (limit: number, name = unique().slice(0, 8)) =>
    createBudget(gatehouse.db, gatehouse.log, name, limit)

  test.each([1, 2, 19, 20, 21, 45, 300])('allows exactly %i requests', async (limit) => {
    const { spend } = budget(limit)
    const spendings = await Promise.all(Array.from({ length: limit + 3 }, () => spend('key')))
    expect(spendings.filter(({ allowed }) => allowed)).toHaveLength(limit)
    expect(spendings[0]?.remaining).toBe(limit - 1)
  })

  test('requires 20 queries for the whole limit, and none after that', async () => {
    const { spend } = budget(10_000)
    const { asked } = countQueries(gatehouse.db)
    for (let n = 0; n < 10_000; n++) await spend('key')
    expect(asked()).toBe(20)
    await Promise.all(Array.from({ length: 1_000 }, () => spend('key')))
    expect(asked()).toBe(20)
  })

  test('is not exceeded by two concurrent processes', async () => {
    const name = unique().slice(0, 8)
    const [one, two] = [budget(1_000, name), createBudget(other.db, other.log, name, 1_000)]
    const spendings = await Promise.all(
      Array.from({ length: 3_000 }, (_, n) => (n % 3 ? one : two).spend('key')),
    )
    const allowed = spendings.filter((spending) => spending.allowed).length
    expect(allowed).toBeLessThanOrEqual(1_000)
    expect(allowed).toBeGreaterThan(900)
  })

  test('allows requests if PostgreSQL is unavailable', async () => {
    const gone = await startInstance({ databaseUrl: gatehouse.config.DATABASE_URL, env: LIMITS })
    const { spend } = createBudget(gone.db, gone.log, 'gone', 40)
    await gone.stop()
    const spendings = await Promise.all(Array.from({ length: 20 }, () => spend('key')))
    expect(spendings.every(({ allowed }) => allowed)).toBe(true)
  })
})
