/** Tests the results of single attempts with receivers that behave unusually at the level of bytes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'
import { generate } from 'selfsigned'
import { afterAll, describe, expect, test } from 'vitest'
import { authorityFile, receiverAuthority, receiverCertificate } from '../../../dev/certificates.ts'
import { createEgress } from '../../../src/webhooks/egress.ts'
import { sendWebhook } from '../../../src/webhooks/send.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-send-'))
const authority = await receiverAuthority(folder)
const certificate = await receiverCertificate(authority)
const egress = createEgress({ allowPrivate: true, caFile: authorityFile(folder) })
const servers: Server[] = []
afterAll(async () => {
  for (const server of servers) server.close()
  await egress.close()
  rmSync(folder, { recursive: true, force: true })
})

const ATTEMPT = { eventId: 'event', number: 1, body: '{}', secrets: ['secret'] }
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** Responds to the nth request on the server's mth connection, both counted from 0. */
type Respond = (socket: Socket, nth: number, mth: number) => unknown

/** Starts a receiver. Each request of the test arrives in one piece. */
async function listen(respond: Respond, options?: TlsOptions) {
  let connections = 0
  const accept = (socket: Socket) => {
    const own = connections++
    let requests = 0
    socket.on('error', () => undefined)
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
      if (!received.endsWith(ATTEMPT.body)) return
      received = ''
      respond(socket, requests++, own)
    })
  }
  const server = options ? createTlsServer({ ...certificate, ...options }, accept) : createServer(accept)
  server.on('tlsClientError', () => undefined)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `${options ? 'https' : 'http'}://localhost:${port}/hook`,
    countConnections: () => connections,
  }
}

async function send(url: string) {
  const result = await sendWebhook(egress, url, ATTEMPT)
  // Until the next tick, the connection is not free for another request.
  await setTimeout(5)
  return result
}
const resultOf = async (respond: Respond, options?: TlsOptions) => send((await listen(respond, options)).url)

describe.each([
  ['HTTP', undefined],
  ['HTTPS', {}],
])('an attempt over %s', (_, options) => {
  const headersOf = (bytes: number) => OK.replace('\r\n\r\n', `\r\nX-Large: ${'x'.repeat(bytes)}\r\n\r\n`)
  test.each([1_000, 16_384, 17_000, 60_000])(
    'is accepted with %d bytes of response headers',
    async (bytes) => {
      const result = await resultOf((socket) => socket.write(headersOf(bytes)), options)
      expect(result).toMatchObject({ statusCode: 200, error: null, excerpt: 'ok' })
    },
  )
  test('fails with more than 64 kB of response headers', async () => {
    const result = await resultOf((socket) => socket.write(headersOf(70_000)), options)
    expect(result).toMatchObject({ statusCode: null, error: 'the response headers exceed 64 kB' })
  })

  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
  test.each([
    ['100 in its own packet', [CONTINUE, OK]],
    ['100 in the same packet', [CONTINUE + OK]],
    ['100 twice', [CONTINUE, CONTINUE, OK]],
    ['100 with headers', ['HTTP/1.1 100 Continue\r\nDate: now\r\nServer: x\r\n\r\n', OK]],
    ['100 without a reason', ['HTTP/1.1 100 \r\n\r\n', OK]],
    ['102', ['HTTP/1.1 102 Processing\r\n\r\n', OK]],
    ['103', ['HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', OK]],
  ])('is accepted if the receiver sends %s before 200', async (_name, parts) => {
    const result = await resultOf(async (socket) => {
      for (const part of parts) {
        socket.write(part)
        await setTimeout(20)
      }
    }, options)
    expect(result).toMatchObject({ statusCode: 200, error: null, excerpt: 'ok' })
  })
  test('fails if nothing follows an interim response', async () => {
    const result = await resultOf((socket) => socket.end(CONTINUE), options)
    expect(result).toMatchObject({ statusCode: null, error: 'connection closed before the response' })
  })

  const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  const tooLong = { statusCode: null, error: 'the response headers exceed 64 kB' }
  const accepted = { statusCode: 200, error: null }
  test.each([
    ['interim responses', '', interim, tooLong],
    ['interim responses with headers', '', interim.replace('\r\n', '\r\nLink: </a>\r\n'), tooLong],
    ['100 responses', '', CONTINUE, { statusCode: null }],
    ['empty lines', '', '\r\n', tooLong],
    ['a reason', 'HTTP/1.1 200 ', 'a', tooLong],
    ['headers', 'HTTP/1.1 200 OK\r\nA: ', 'a', tooLong],
    ['a body', 'HTTP/1.1 200 OK\r\n\r\n', 'a', accepted],
    ['chunks', chunked, '1\r\na\r\n', accepted],
    ['chunk extensions', `${chunked}1;`, 'a', accepted],
    ['trailers', `${chunked}2\r\nok\r\n0\r\n`, 'A: b\r\n', accepted],
  ])('ends if the receiver sends %s without end', async (_name, start, part, expected) => {
    const flood = part.repeat(16_000)
    const result = await resultOf((socket) => {
      const pour = () => void (socket.writable && socket.write(flood, pour))
      socket.write(start, pour)
    }, options)
    expect(result).toMatchObject(expected)
    expect(result?.durationMs).toBeLessThan(9_000)
  })

  const closings: [string, (socket: Socket) => void][] = [
    ['closes', (socket) => socket.end()],
    ['aborts', (socket) => socket.destroy()],
    ...(options
      ? []
      : [['resets', (socket) => socket.resetAndDestroy()] as [string, (socket: Socket) => void]]),
  ]
  test.each(closings)(
    'is repeated on a new connection if the receiver %s a kept one',
    async (_name, close) => {
      const receiver = await listen((socket, nth, mth) => {
        if (mth === 0 && nth === 1) close(socket)
        else socket.write(OK)
      }, options)
      expect(await send(receiver.url)).toMatchObject({ statusCode: 200 })
      expect(await send(receiver.url)).toMatchObject({ statusCode: 200, error: null })
      expect(receiver.countConnections()).toBe(2)
      expect(await send(receiver.url)).toMatchObject({ statusCode: 200, error: null })
    },
  )
  test.each(closings)('is repeated once if the receiver always %s', async (_name, close) => {
    const receiver = await listen((socket, nth, mth) => {
      if (nth + mth > 0) close(socket)
      else socket.write(OK)
    }, options)
    expect(await send(receiver.url)).toMatchObject({ statusCode: 200 })
    expect(await send(receiver.url)).toMatchObject({
      statusCode: null,
      error: expect.stringMatching(/^connection (closed before the response|reset)$/),
    })
    expect(receiver.countConnections()).toBe(2)
  })
  test.each(closings)('is not repeated if the receiver %s a new connection', async (_name, close) => {
    const receiver = await listen(close, options)
    expect(await send(receiver.url)).toMatchObject({ statusCode: null })
    expect(receiver.countConnections()).toBe(1)
  })
  test.each(['H', 'HTTP/1.1 20', 'HTTP/1.1 200 OK\r\nContent-Le', CONTINUE])(
    'is not repeated if a part of the response has arrived: %j',
    async (part) => {
      const receiver = await listen((socket, nth) => {
        if (nth === 0) socket.write(OK)
        else socket.end(part)
      }, options)
      expect(await send(receiver.url)).toMatchObject({ statusCode: 200 })
      expect(await send(receiver.url)).toMatchObject({ statusCode: null, error: expect.any(String) })
      expect(receiver.countConnections()).toBe(1)
    },
  )

  const head = (status: number, headers: string) => `HTTP/1.1 ${status} Status\r\n${headers}\r\n\r\n`
  test.each([
    [200, 'Content-Length: 100', 'half', null],
    [201, 'Content-Length: 100', '', null],
    [200, 'Transfer-Encoding: chunked', '4\r\nhalf\r\n', null],
    [200, 'Transfer-Encoding: chunked', 'no chunk', null],
    [200, 'Connection: close', 'all', null],
    [202, 'Content-Length: 100', 'half', 'HTTP status 202'],
    [500, 'Content-Length: 100', 'half', 'HTTP status 500'],
  ])(
    'has the result of its status if the body of a %d is cut (%s, %j)',
    async (status, headers, body, error) => {
      const result = await resultOf((socket) => socket.end(head(status, headers) + body), options)
      expect(result).toMatchObject({ statusCode: status, error })
    },
  )
  test.each([
    'SSH-2.0-OpenSSH_9.2\r\n',
    '220 mail ESMTP\r\n',
    '{"ok":true}',
    '\u0015\u0003\u0001\u0000\u0002\u0002',
    'HTTP/9\r\n\r\n',
  ])('fails with the reason if the response is %j', async (answer) => {
    const result = await resultOf((socket) => socket.end(answer), options)
    expect(result).toMatchObject({
      statusCode: null,
      error: 'the response is not HTTP',
    })
  })
})

describe('the excerpt', () => {
  const excerptOf = async (body: string, headers: Record<string, string>) => {
    const answer = `HTTP/1.1 500 Error\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const { url } = await listen((socket) => socket.write(answer))
    return (await sendWebhook(egress, url, { ...ATTEMPT, headers })).excerpt
  }

  test('hides the values of additional headers that the receiver repeats', async () => {
    const headers = {
      Authorization: 'Bearer secret-token-1',
      Cookie: 'session=secret-cookie',
      'X-Short': 'on',
    }
    expect(await excerptOf(JSON.stringify(headers), headers)).toBe(
      '{"Authorization":"Bearer **************","Cookie":"session=*************","X-Short":"on"}',
    )
    expect(await excerptOf('The token secret-token-1 is invalid.', headers)).toBe(
      'The token ************** is invalid.',
    )
  })
  test('hides a value at its end', async () => {
    const value = 's'.repeat(4_000)
    const body = `${'x'.repeat(2_000)}${value}`
    expect(await excerptOf(body, { 'X-Key': value })).toBe('x'.repeat(2_000) + '*'.repeat(48))
  })
})

test('attempts over HTTP/2 share a connection', async () => {
  let connections = 0
  const server = createSecureServer(certificate, (req, res) => {
    req.resume().on('end', () => res.end('x'.repeat(10_000)))
  })
  server.on('session', () => {
    connections += 1
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const url = `https://localhost:${port}/`
  for (const count of [1, 50, 1, 50]) {
    const results = await Promise.all(Array.from({ length: count }, () => send(url)))
    expect(results.map((each) => each?.error)).toEqual(results.map(() => null))
  }
  expect(connections).toBeLessThan(10)
})

describe('an attempt over HTTPS fails with the reason', () => {
  const accept: Respond = (socket) => socket.write(OK)
  const failing = async (options: TlsOptions) => (await resultOf(accept, options)).error

  test('if the port uses HTTP', async () => {
    for (const answer of ['HTTP/1.1 400 Bad Request\r\n\r\n', 'SSH-2.0-OpenSSH_9.2\r\n']) {
      const server = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('data', () => socket.end(answer))
      })
      servers.push(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as { port: number }
      expect((await send(`https://localhost:${port}/`)).error).toMatch(
        /^the receiver does not use TLS at this port/,
      )
    }
  })
  test.each(['TLSv1', 'TLSv1.1'] as const)('if the receiver supports only %s', async (version) => {
    const ciphers = 'DEFAULT@SECLEVEL=0'
    expect(await failing({ minVersion: version, maxVersion: version, ciphers })).toMatch(
      /^the receiver does not support TLS 1.2 or later/,
    )
  })
  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'if the receiver requires a client certificate in %s',
    async (version) => {
      const error = await failing({
        minVersion: version,
        maxVersion: version,
        requestCert: true,
        rejectUnauthorized: true,
      })
      expect(error).toMatch(/^the receiver .*requires a client certificate \(ERR_SSL_/)
    },
  )
  const rsa = generate([{ name: 'commonName', value: 'localhost' }])
  test.each([
    ['TLS 1.2', { maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' }],
    ['TLS 1.3', { minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe8192' }],
  ] as const)('if the receiver supports only a slow key exchange in %s', async (_, options) => {
    const { cert, private: key } = await rsa
    expect(await failing({ cert, key, ...options })).toMatch(/^the receiver refused the TLS handshake/)
  })
  test('if the certificates of the receiver exceed the limit of a handshake', async () => {
    const longChain = (count: number) => ({
      cert: `${certificate.cert}\n${`${authority.cert}\n`.repeat(count)}`,
    })
    expect(await resultOf(accept, longChain(20))).toMatchObject({ statusCode: 200, error: null })
    expect(await failing(longChain(120))).toBe(
      'the TLS certificate was not accepted (CERTIFICATES_TOO_LARGE)',
    )
  })
  test('if the receiver requests another handshake on the connection', async () => {
    const renegotiate = (socket: Socket) => {
      socket.once('error', () => socket.destroy())
      ;(socket as TLSSocket).renegotiate({}, (error) => error === null && socket.write(OK))
    }
    expect(await resultOf(renegotiate, { maxVersion: 'TLSv1.2' })).toMatchObject({ statusCode: null })
  })
  test('if the certificate is self-signed or belongs to another host', async () => {
    const other = await receiverAuthority(mkdtempSync(join(folder, 'other-')))
    expect(await failing(await receiverCertificate(other))).toMatch(/^the TLS certificate was not accepted/)
    const { url } = await listen(accept, {})
    const elsewhere = url.replace('localhost', '127.0.0.2')
    expect((await send(elsewhere)).error).toMatch(
      /^(the TLS certificate was not accepted|connection refused)/,
    )
  })
})
