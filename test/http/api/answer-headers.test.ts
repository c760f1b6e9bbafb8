/** Tests the headers of every response: caching, content type, server details and the request ID. */
import { describe, expect, test } from 'vitest'
import { sharedInstance, unique } from '../../support/instance.ts'

const gatehouse = await sharedInstance()

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const Authorization = gatehouse.credentials.api_key
  return fetch(gatehouse.baseUrl + path, { headers: { Authorization, ...headers } })
}

describe('response headers', () => {
  test.each([
    ['data', 200, '/v1/kyb'],
    ['a refusal', 404, `/v1/kyb/${unique()}`],
    ['a malformed request', 400, '/v1/kyb/x'],
    ['an unknown path', 404, '/nowhere'],
    ['a page', 404, '/verify/nobody'],
    ['the health check', 200, '/health'],
    ['an unknown caller', 401, '/operator/v1/queue'],
  ])('forbid caching and hide the server for %s', async (_, status, path) => {
    const { status: given, headers } = await get(path)
    expect(given).toBe(status)
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(headers.get('X-Request-Id')).toMatch(UUID)
    for (const name of ['X-Powered-By', 'Server', 'ETag']) expect(headers.get(name), name).toBe(null)
    const type = path.startsWith('/verify') ? 'text/html' : 'application/json'
    expect(headers.get('Content-Type')).toBe(`${type}; charset=utf-8`)
  })
  test('do not lead to a 304 without a body if the request is conditional', async () => {
    // Without this Cache-Control header, fetch would send no-cache.
    const headers = { 'If-None-Match': '*', 'Cache-Control': 'max-age=0' }
    for (const path of ['/v1/kyb', '/console/sign_in', '/v1/openapi.json']) {
      const answer = await get(path, headers)
      expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true])
    }
  })
  test('forbid content from other origins on pages', async () => {
    const { headers } = await get('/verify/nobody')
    const policy = headers.get('Content-Security-Policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })
})

describe('compression', () => {
  test('applies to large JSON if the client accepts it', async () => {
    const url = `/v1/kyb/${await gatehouse.api.createKyb()}`
    const plain = await get(url, { 'Accept-Encoding': 'identity' })
    const compressed = await get(url, { 'Accept-Encoding': 'br;q=0.5, gzip' })
    expect([plain, compressed].map(({ headers }) => headers.get('Content-Encoding'))).toEqual([null, 'gzip'])
    expect(compressed.headers.get('Content-Type')).toBe('application/json; charset=utf-8')
    const lengths = [compressed, plain].map(({ headers }) => Number(headers.get('Content-Length')))
    expect(lengths[0]).toBeLessThan((lengths[1] ?? 0) / 2)
    expect(await compressed.json()).toEqual(await plain.json())
    const refused = await get(`/v1/kyb/${unique()}`, { 'Accept-Encoding': 'gzip' })
    expect([refused.status, refused.headers.get('Content-Encoding')]).toEqual([404, null])
  })
})

describe('the request ID', () => {
  test('is the caller’s ID if that is a UUID', async () => {
    const id = unique()
    const { headers } = await get('/v1/kyb', { 'X-Request-Id': id.toUpperCase() })
    expect(headers.get('X-Request-Id')).toBe(id)
  })
  test.each(['1', 'x'.repeat(36), `${unique()} `.repeat(2), '{"a":1}', '../../etc', `${unique()}-more`])(
    'is a new ID if the caller sends %j',
    async (given) => {
      const { headers } = await get('/v1/kyb', { 'X-Request-Id': given })
      expect(headers.get('X-Request-Id')).toMatch(UUID)
      expect(headers.get('X-Request-Id')).not.toBe(given.trim())
    },
  )
  test('differs for each request', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => (await get('/v1/kyb')).headers.get('X-Request-Id')),
    )
    expect(new Set(ids).size).toBe(5)
  })
})
