/** Tests limits on the size, depth and duration of requests, and that oversized bodies are cut off. */
import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import express, { type Response } from 'express'
import { describe, expect, test } from 'vitest'
import { sendInParts } from '../../../src/api/routing/response.ts'
import { createHttpServer } from '../../../src/http/server.ts'
import { expectErrors } from '../../support/checks.ts'
import { cpuMs } from '../../support/cpu-time.ts'
import { eventually, sharedInstance, unique } from '../../support/instance.ts'

const gatehouse = await sharedInstance({ worker: true })
const kyb = await gatehouse.api.createKyb()

describe('a query', () => {
  test('returns 400 with one error if a parameter occurs twice', async () => {
    const answer = await gatehouse.api.get('/kyb?page=1&page=2')
    expect(answer.status).toBe(400)
    expectErrors(answer, { code: 'malformed_request', field: 'page' })
  })
  test('returns an empty page beyond the last one, and refuses excessive page numbers', async () => {
    const last = await gatehouse.api.get('/kyb?page=1000000000&per_page=99999999999999999999')
    expect(last).toMatchObject({ status: 200, body: { data: [], pagination: { per_page: 100 } } })
    for (const page of ['1000000001', '9'.repeat(400)]) {
      const answer = await gatehouse.api.get(`/kyb?page=${page}`)
      expect(answer.status).toBe(422)
      expectErrors(answer, { code: 'invalid', field: 'page' })
    }
  })
  test('returns 400 for more than 100 parameters', async () => {
    const answer = await gatehouse.api.get(
      `/kyb?${Array.from({ length: 101 }, (_, n) => `a${n}=1`).join('&')}`,
    )
    expect(answer.status).toBe(400)
    expectErrors(answer, 'malformed_request')
  })
})

describe('the API', () => {
  const put = (body: string) => gatehouse.api.send('PUT', '/users/update_webhook', body)
  test.each(['__proto__', 'constructor', 'nothing'])('returns unknown_topic for %s', async (topic) => {
    const answer = await put(`{"webhook_url":{"${topic}":[]}}`)
    expect(answer.status).toBe(422)
    expectErrors(answer, { code: 'unknown_topic', field: `webhook_url.${topic}` })
  })
  test('returns unknown_field for __proto__, without an effect on later requests', async () => {
    const answer = await gatehouse.api.send(
      'POST',
      '/kyb',
      `{"__proto__":{"internal":true},"external_id":"${unique()}"}`,
    )
    expectErrors(answer, { code: 'unknown_field', field: '__proto__' })
    expect((await gatehouse.api.post('/kyb', { external_id: unique() })).body.data.internal).toBe(false)
  })
  test('refuses names that the parser would drop, wherever values are stored as they are given', async () => {
    const { api } = gatehouse
    const identity = (await api.post('/identifications/import_identity', { external_uuid: unique() })).body
      .data.id
    const kyb = await api.createKyb()
    const person = '"kind":"person","name":"Ada"'
    for (const [method, path, body, field] of [
      ['POST', '/identifications/soft_kyc', `{${person},"__proto__":1}`, '__proto__'],
      [
        'POST',
        '/identifications/import_identity',
        `{"external_uuid":"${unique()}","__proto__":{}}`,
        '__proto__',
      ],
      ['PUT', `/identifications/${identity}`, '{"additional":{"__proto__":1}}', 'additional.__proto__'],
      ['PATCH', `/kyb/${kyb}`, '{"additional":{"__proto__":1}}', 'additional.__proto__'],
    ] as const) {
      const answer = await api.send(method, path, body)
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        expect.arrayContaining([expect.objectContaining({ code: 'unknown_field', field })]),
      ])
    }
    const twice = await api.send('PUT', `/identifications/${identity}`, '{"city":"Bonn","city":"Ulm"}')
    expect(twice.status).toBe(400)
    expectErrors(twice, { code: 'malformed_request', field: 'city' })
  })
  test.each([
    ['21 levels', `${'['.repeat(21)}${']'.repeat(21)}`],
    ['20,001 values', `{"webhook_url":{"ticket":[${Array(20_000).fill('1')}]}}`],
  ])('returns 400 for JSON with %s', async (_, body) => {
    const answer = await put(body)
    expect(answer.status).toBe(400)
    expectErrors(answer, 'malformed_request')
  })
  test('returns at most 2,000 problems for a JSON body', async () => {
    const names = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`name_${n}`, 1]))
    const { status, body } = await gatehouse.api.post('/kyb', names)
    expect([status, body.errors.length]).toEqual([422, 2_000])
  })
  test('serves other requests while it parses a JSON body of maximum size, plain or compressed', async () => {
    const size = 1024 * 1024 - 2
    const shapes: Record<string, string> = {
      'escaped quotes': `"${'"'.repeat(size / 2 - 2)}`,
      'lists in lists': '['.repeat(size),
      'objects in objects': '{"a":'.repeat(size / 5),
      'a long list': `[${'1,'.repeat(size / 2 - 2)}1]`,
      'many names': `{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":1`).join()}}`,
      'a long number': '1'.repeat(size),
    }
    let slowest = 0
    let isDone = false
    const asking = (async () => {
      while (!isDone) {
        const began = cpuMs()
        expect((await fetch(`${gatehouse.baseUrl}/health`)).status).toBe(200)
        slowest = Math.max(slowest, cpuMs() - began)
      }
    })()
    for (const [name, text] of Object.entries(shapes)) {
      for (const encoding of ['identity', 'gzip']) {
        const body = encoding === 'gzip' ? gzipSync(text) : Buffer.from(text)
        const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding }
        const url = `${gatehouse.baseUrl}/v1/sign_in`
        const { status } = await fetch(url, { method: 'POST', headers, body })
        expect([400, 422], `${name}, ${encoding}`).toContain(status)
      }
    }
    isDone = true
    await asking
    // The defects that this detects take seconds or minutes of the thread that tests and the API share.
    expect(slowest).toBeLessThan(5_000)
  })
  test('returns 415 for JSON in an encoding other than UTF-8', async () => {
    const body = Buffer.from('{}', 'utf16le')
    const answer = await fetch(`${gatehouse.baseUrl}/v1/kyb`, {
      method: 'POST',
      headers: {
        Authorization: gatehouse.credentials.api_key,
        'Content-Type': 'application/json; charset=utf-16',
      },
      body,
    })
    expect(answer.status).toBe(415)
  })
})

/** Sends the head and then chunks until the server closes the connection. Returns the response and the sent bytes. */
async function sendOn(path: string, type: string, head: string, length?: number) {
  const { api_key } = gatehouse.credentials
  const sending = request(`${gatehouse.baseUrl}/v1${path}`, {
    method: 'POST',
    headers: { Authorization: api_key, 'Content-Type': type, ...(length && { 'Content-Length': length }) },
  })
  sending.on('error', () => undefined)
  const closed = new Promise((resolve) => sending.on('close', resolve))
  sending.write(head)
  let sent = 0
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const timer = setInterval(() => {
    if (sending.writableNeedDrain) return
    sent += chunk.length
    sending.write(chunk)
  }, 1)
  const [answer] = await once(sending, 'response')
  const text = (await answer.setEncoding('utf8').toArray()).join('')
  await closed
  clearInterval(timer)
  return { status: answer.statusCode as number, headers: new Headers(), body: JSON.parse(text), sent }
}

const FORM = 'multipart/form-data; boundary=x'
const PART = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n'
const GIGABYTE = 1_000_000_000

describe('an endless body', () => {
  test.each([
    ['an upload with a declared length', '%PDF-', GIGABYTE, 413, 'file_too_large'],
    ['an upload without a declared length', '%PDF-', undefined, 413, 'file_too_large'],
    ['an upload of an unknown type', '', undefined, 422, 'unsupported_file_type'],
  ])('gets a response and a closed connection: %s', async (_, start, length, status, code) => {
    const answer = await sendOn(`/kyb/upload_file/${kyb}`, FORM, PART + start, length)
    expect(answer.status).toBe(status)
    expectErrors(answer, code)
    expect(answer.sent).toBeLessThan(GIGABYTE / 2)
  })
  test.each([
    ['JSON', 'application/json', 413],
    ['another media type', 'text/plain', 415],
  ])('gets a response and a closed connection: %s', async (_, type, status) => {
    const answer = await sendOn('/kyb', type, '{"external_id":"', GIGABYTE)
    expect(answer.status).toBe(status)
    expect(answer.sent).toBeLessThan(GIGABYTE / 2)
  })
})

const TWO_LENGTHS = 'POST /v1/kyb HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n'

describe('the server', () => {
  async function say(port: number, text: string): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    socket.write(text)
    return (await socket.setEncoding('utf8').toArray()).join('')
  }
  const port = () => Number(new URL(gatehouse.baseUrl).port)

  test('returns 431 for headers over 16 kB and 400 for invalid HTTP, as JSON', async () => {
    const large = await say(port(), `GET /v1/kyb HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`)
    expect(large).toMatch(/^HTTP\/1.1 431 .*"code":"headers_too_large"/s)
    expect(await say(port(), 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*"code":"malformed_request"/s)
  })
  test.each([
    ['without a host', 'GET /v1/kyb HTTP/1.1\r\n', 400, 'malformed_request'],
    ['with two hosts', 'GET /v1/kyb HTTP/1.1\r\nHost: a\r\nHost: b\r\n', 400, 'malformed_request'],
    [
      'with two credentials',
      'GET /v1/kyb HTTP/1.1\r\nHost: a\r\nAuthorization: a\r\nAuthorization: a\r\n',
      400,
      'malformed_request',
    ],
    [
      'with two content types',
      `${TWO_LENGTHS}Content-Type: application/json\r\nContent-Type: text/plain\r\n`,
      400,
      'malformed_request',
    ],
    ['of HTTP/1.0', 'GET /none HTTP/1.0\r\n', 404, 'not_found'],
    ['with an unknown expectation', 'GET /none HTTP/1.1\r\nHost: a\r\nExpect: more\r\n', 404, 'not_found'],
    ['for a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n', 400, 'malformed_request'],
    ['with two lengths', `${TWO_LENGTHS}Content-Length: 3\r\n`, 400, 'malformed_request'],
    ['with a length and chunks', `${TWO_LENGTHS}Transfer-Encoding: chunked\r\n`, 400, 'malformed_request'],
    ['with an unknown method', 'SEND /v1/kyb HTTP/1.1\r\nHost: a\r\n', 400, 'malformed_request'],
    ['with an unknown version', 'GET /v1/kyb HTTP/9.1\r\nHost: a\r\n', 400, 'malformed_request'],
  ])('responds to a request %s with the body of an error', async (_, head, status, code) => {
    const answer = await say(port(), `${head}Connection: close\r\n\r\n`)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ errors: [{ code }] })
  })
  test.each([
    ['headers', 'POST /v1/kyb HTTP/1.1\r\nHost: a\r\n'],
    ['a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{'],
  ])('returns 408 if %s are not complete in time', async (_, text) => {
    const limits = { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 }
    const server = createHttpServer((req) => req.resume(), limits).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const answer = await say((server.address() as AddressInfo).port, text)
    server.close()
    expect(answer).toMatch(/^HTTP\/1.1 408 .*"code":"request_timeout"/s)
  })
  test.each(['/verify/nobody', '/console/sign_in'])(
    'returns a page with 408 if a body sent to %s is not complete in time',
    async (path) => {
      const limits = { headersTimeout: 200, requestTimeout: 300, connectionsCheckingInterval: 50 }
      const server = createHttpServer(gatehouse.app, limits).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAccept-Language: de\r\nContent-Length: 9\r\n`
      const form = 'Content-Type: application/x-www-form-urlencoded\r\n\r\na='
      const answer = await say((server.address() as AddressInfo).port, head + form)
      server.close()
      expect(answer).toMatch(/^HTTP\/1.1 408 .*Content-Type: text\/html.*<h1>Zeitüberschreitung<\/h1>/s)
    },
  )
})

test('closes the responses of all pipelined requests if the connection breaks', async () => {
  const answers: Response[] = []
  const closed = new Set<Response>()
  const app = express().use((_req, res) => {
    answers.push(res.on('close', () => closed.add(res)))
  })
  const server = createHttpServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3))
  await eventually(() => expect(answers).toHaveLength(3))
  const [first, second, third] = answers as [Response, Response, Response]
  const send = (res: Response) => sendInParts(res, { data: [] }, endless())
  // Two responses are in progress. The third begins after the client has disconnected.
  const inProgress = [send(first), send(second)]
  socket.destroy()
  await Promise.all(inProgress)
  await send(third)
  expect(closed.size).toBe(3)
  expect(answers.every(({ destroyed }) => destroyed)).toBe(true)
  server.close()
})

async function* endless(): AsyncGenerator<object> {
  for (;;) yield { text: 'x'.repeat(100_000) }
}
