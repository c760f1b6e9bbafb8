/** Tests the shutdown of the API: current requests receive responses, and connections do not delay it. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createHttpServer, stopServer } from '../../../src/http/server.ts'

const RESPONSE_MS = 700

async function start() {
  const server = createHttpServer((_req, res) => {
    setTimeout(() => res.end('done'), RESPONSE_MS)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

function get(port: number, agent: Agent): Promise<{ text: string; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, agent }, (res) => {
      text(res).then((body) => resolve({ text: body, connection: res.headers.connection }), reject)
    })
    asked.on('error', reject).end()
  })
}

test.concurrent('completes current requests, and closes their connection', async () => {
  const { server, port } = await start()
  const agent = new Agent({ keepAlive: true })
  expect((await get(port, agent)).connection).toBe('keep-alive')
  const arrived = once(server, 'request')
  const inProgress = get(port, agent)
  await arrived
  const stopped = stopServer(server)
  expect(await inProgress).toEqual({ text: 'done', connection: 'close' })
  await stopped
  await expect(get(port, agent)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  agent.destroy()
})

test.concurrent('closes the connection of a caller with continuous requests without losing a response', async () => {
  const { server, port } = await start()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const answers: string[] = []
  const arrived = once(server, 'request')
  const asking = (async () => {
    for (;;) answers.push((await get(port, agent)).text)
  })().catch((error: NodeJS.ErrnoException) => error.code)
  await arrived
  await stopServer(server)
  expect(await asking).toBe('ECONNREFUSED')
  expect(new Set(answers)).toEqual(new Set(['done']))
  agent.destroy()
})

test.concurrent('does not wait for idle connections', async () => {
  const { server, port } = await start()
  const idle = connect(port, '127.0.0.1')
  await once(idle, 'connect')
  const used = new Agent({ keepAlive: true })
  await get(port, used)
  await stopServer(server)
  used.destroy()
  idle.destroy()
})

test.concurrent('serves a first request that arrives while the server closes idle connections', async () => {
  const { server, port } = await start()
  const accepted = once(server, 'connection')
  const late = connect(port, '127.0.0.1')
  await accepted
  const stopped = stopServer(server)
  // The server closes idle connections after it has stopped listening.
  while (server.listening) await sleep(5)
  late.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(await text(late)).toMatch(/^HTTP\/1.1 200 OK.*done/s)
  await stopped
})
