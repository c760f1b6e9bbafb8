/** Tests rules for all endpoints: paths, methods, media types, sizes, request IDs and production mode. */
import { once } from 'node:events'
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createApi } from '../../support/api.ts'
import { expectErrors } from '../../support/checks.ts'
import { PRODUCTION, sharedInstance, startInstance, unique } from '../../support/instance.ts'

const gatehouse = await sharedInstance()

const id = unique()

describe('the routing', () => {
  test.each(['/', '/nothing', '/kyb/a/b', `/kyb/${id}/timeline`, '/sandbox', '/identifications/a/b/c'])(
    'returns 404 for %s',
    async (path) => {
      const answer = await gatehouse.api.get(path)
      expect(answer.status).toBe(404)
      expectErrors(answer, 'not_found')
    },
  )
  test('returns 404 for paths outside the API versions', async () => {
    for (const path of ['/', '/v2/kyb', '/operator', '/operator/v1/nothing']) {
      const answer = await createApi(gatehouse.baseUrl, gatehouse.credentials.api_key).get(path)
      expect(answer.status).toBe(404)
      expectErrors(answer, 'not_found')
    }
  })

  test.each([
    ['/sign_in', 'POST'],
    ['/kyb', 'GET, HEAD, POST'],
    [`/kyb/${id}`, 'GET, HEAD, PATCH'],
    [`/kyb/upload_file/${id}`, 'POST'],
    [`/kyb/delete_file/${id}`, 'PUT'],
    [`/kyb/validate/${id}`, 'GET, HEAD'],
    [`/kyb/validate_password/${id}`, 'POST'],
    [`/sandbox/kyb/${id}/simulate_review`, 'POST'],
    ['/identifications/soft_kyc', 'POST'],
    ['/users/settings', 'GET, HEAD'],
    ['/users/update_webhook', 'PUT'],
    ['/webhook_logs', 'GET, HEAD'],
  ])('supports for %s only %s, and returns 405 with Allow for other methods', async (path, allowed) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (allowed.split(', ').includes(method)) continue
      const answer = await gatehouse.api.send(method, path)
      expect({ method, status: answer.status }).toEqual({ method, status: 405 })
      expect(answer.headers.get('Allow')).toBe(allowed)
      expectErrors(answer, 'method_not_allowed')
    }
  })

  test('responds to HEAD like GET, without a body', async () => {
    const response = await fetch(`${gatehouse.baseUrl}/v1/kyb`, {
      method: 'HEAD',
      headers: { Authorization: gatehouse.credentials.api_key },
    })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
  })
})

describe('the API', () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    gatehouse.api.send('POST', '/kyb', body, headers)

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; charset=utf8',
    'application/json;charset=UTF8',
    'application/json; charset="utf-8"',
    'application/json; charset = utf8; version=1',
    'application/json; version=1',
    'application/json; charset=us-ascii',
    'APPLICATION/JSON',
  ])('accepts a body of the type %s as JSON', async (type) => {
    expect((await post(JSON.stringify({ external_id: unique() }), { 'Content-Type': type })).status).toBe(201)
  })
  test.each([
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'nonsense',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-7',
    'application/json; charset=utf-8859',
    'application/json; charset=windows-1252',
    'application/json; charset=',
  ])('returns 415 for a body of the type %s', async (type) => {
    const answer = await post('{}', { 'Content-Type': type })
    expect(answer.status).toBe(415)
    expectErrors(answer, 'unsupported_media_type')
  })
  test.each(['UTF-8', 'utf8', 'lz4', 'compress', 'gzip, gzip', 'base64'])(
    'returns 415 that names the header for Content-Encoding: %s',
    async (encoding) => {
      const answer = await post('{}', { 'Content-Encoding': encoding })
      expect(answer.status).toBe(415)
      expect(answer.body.errors[0].message).toMatch(/^The Content-Encoding is not supported\./)
      const form = new FormData()
      form.append('attribute', 'legal_structures')
      const path = `/kyb/upload_file/${await gatehouse.api.createKyb()}`
      const upload = await gatehouse.api.send('POST', path, form, { 'Content-Encoding': encoding })
      expect(upload.status).toBe(415)
      expect(upload.body.errors[0].message).toMatch(/Content-Encoding/)
    },
  )
  test('refuses bytes that are not UTF-8, because replacing them would make different IDs equal', async () => {
    const answer = await fetch(`${gatehouse.baseUrl}/v1/kyb`, {
      method: 'POST',
      headers: { Authorization: gatehouse.credentials.api_key, 'Content-Type': 'application/json' },
      body: Buffer.from('{"external_id":"K\xe4-1"}', 'latin1'),
    })
    const { errors } = await answer.json()
    expect([answer.status, errors[0]]).toMatchObject([
      400,
      { message: 'The body is not valid UTF-8. Encode it in UTF-8.' },
    ])
  })
  test.each(['gzip', 'GZIP', 'x-gzip', 'X-Gzip'])(
    'decompresses a body of the encoding %s',
    async (encoding) => {
      const answer = await fetch(`${gatehouse.baseUrl}/v1/kyb`, {
        method: 'POST',
        headers: {
          Authorization: gatehouse.credentials.api_key,
          'Content-Type': 'application/json',
          'Content-Encoding': encoding,
        },
        body: gzipSync(JSON.stringify({ external_id: unique() })),
      })
      expect(answer.status).toBe(201)
    },
  )
  test.each([
    ['application/json; charset=ISO-8859-1', [], 200],
    ['text/plain', [], 200],
    [null, [], 200],
    [null, ['{}'], 415],
  ] as const)('with the type %s, a read with the chunks %j returns %i', async (type, chunks, status) => {
    const sent = request(`${gatehouse.baseUrl}/v1/kyb`, {
      headers: {
        Authorization: gatehouse.credentials.api_key,
        // Without a type, a gateway announces a body that may be empty.
        ...(type === null ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Type': type }),
      },
    })
    for (const chunk of chunks) sent.write(chunk)
    sent.end()
    const [response] = await once(sent, 'response')
    response.resume()
    expect(response.statusCode).toBe(status)
  })
  test('treats a missing body as an empty object', async () => {
    const answer = await gatehouse.api.post('/kyb')
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'required', field: 'external_id' })
  })
  test('accepts a body just below 1 MB, and returns 413 above', async () => {
    const body = (length: number) => JSON.stringify({ external_id: unique(), more: 'x'.repeat(length) })
    expect((await post(body(1_000_000))).status).toBe(422)
    const answer = await post(body(1_100_000))
    expect(answer.status).toBe(413)
    expectErrors(answer, 'payload_too_large')
  })
  test('returns texts in any script and with emoji unchanged', async () => {
    const name = 'Zürich ☂ 日本 עברית 👩‍👩‍👧 𝒳 "quotes" \\ <b>&amp;</b>\n\tline'
    const kyb = await gatehouse.api.createKyb(unique(), { nature_of_business: { legal_company_name: name } })
    expect((await gatehouse.api.get(`/kyb/${kyb}`)).body.data.nature_of_business.legal_company_name).toBe(
      name,
    )
  })
})

describe('response headers', () => {
  test('contain a unique request ID and no details of the server', async () => {
    const answers = [
      await gatehouse.api.get('/kyb'),
      await gatehouse.api.get('/nothing'),
      await gatehouse.api.get('/kyb/x'),
    ]
    const ids = answers.map(({ headers }) => headers.get('X-Request-Id'))
    expect(new Set(ids).size).toBe(3)
    for (const { headers } of answers) {
      expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers.get('X-Powered-By')).toBeNull()
      expect(headers.get('Content-Type')).toMatch(/^application\/json/)
    }
  })
})

test('returns 500 with the request ID and no details for an unexpected error', async () => {
  await gatehouse.asOwner('ALTER TABLE webhook_logs RENAME TO hidden')
  const { status, headers, body } = await gatehouse.api.get('/webhook_logs?type=account&status=completed')
  await gatehouse.asOwner('ALTER TABLE hidden RENAME TO webhook_logs')
  expect(status).toBe(500)
  expect(body).toEqual({
    errors: [{ code: 'internal_error', message: expect.any(String) }],
    request_id: headers.get('X-Request-Id'),
  })
  expect(JSON.stringify(body)).not.toMatch(/webhook_logs|relation|select|at /i)
})

test('returns 404 for sandbox paths in production', async () => {
  const production = await startInstance({ env: PRODUCTION })
  try {
    const kyb = await production.api.createKyb()
    for (const path of [`kyb/${kyb}/simulate_review`, `accounts/${id}/simulate_incoming_fiat`]) {
      const answer = await production.api.post(`/sandbox/${path}`, { outcome: 'approved' })
      expect(answer.status).toBe(404)
      expectErrors(answer, 'not_found')
      expect(answer.body.errors[0].message).toBe(
        'This path does not exist. API paths start with /v1 or /operator/v1, without double slashes.',
      )
    }
    expect((await production.api.get(`/kyb/${kyb}`)).body.data.status.processed).toBe(false)
  } finally {
    await production.stop()
  }
})
