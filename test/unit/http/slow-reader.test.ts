/** Tests that the server closes the connections of clients that do not read their responses. */
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { createHttpServer } from '../../../src/http/server.ts'
import { limitSilence } from '../../../src/http/silence.ts'

/** Exceeds the buffers of the operating system. */
const LARGE = Buffer.alloc(64_000_000)
const READING_MS = 200

const endlessly = function* () {
  for (;;) yield LARGE
}
const answers: Readonly<Record<string, RequestListener>> = {
  'a complete response': (_req, res) => void res.end(LARGE),
  'a stream': (_req, res) => {
    limitSilence(res, READING_MS)
    Readable.from(endlessly()).pipe(res)
  },
}

async function openSilent(listener: RequestListener, sent: string) {
  const server = createHttpServer(listener, { readingMs: READING_MS }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {}).write(sent)
  const [socket] = await accepted
  return { server, client, closed: once(socket, 'close') }
}

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

test.concurrent.each(Object.entries(answers))(
  'ends if a client does not read %s',
  async (_name, listener) => {
    for (const sent of [GET, GET.repeat(3)]) {
      const { server, client, closed } = await openSilent(listener, sent)
      await closed
      client.destroy()
      server.close()
    }
  },
)

test.concurrent('ends if a client reads a complete response too slowly', async () => {
  const { server, client, closed } = await openSilent((_req, res) => void res.end(LARGE), GET)
  const reading = setInterval(() => client.read(1_000), READING_MS / 10)
  await closed
  clearInterval(reading)
  client.destroy()
  server.close()
})

test.concurrent('remains open for slow handlers and for clients that read', async () => {
  const { server, client } = await openSilent(
    (_req, res) => void setTimeout(() => res.end('done'), 3 * READING_MS),
    GET,
  )
  let text = ''
  for await (const chunk of client) {
    text += chunk
    if (text.endsWith('done')) break
  }
  expect(text).toMatch(/^HTTP\/1.1 200 OK/)
  client.destroy()
  server.close()
})
