/** An API that is to end: what is under way is answered, nobody is cut off, and nobody keeps it from ending. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createHttpServer, stopServer } from '../../src/http/server.ts'

const UNDER_WAY_MS = 700

async function start() {
  const server = createHttpServer((_req, res) => {
    setTimeout(() => res.end('done'), UNDER_WAY_MS)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

function get(port: number, agent: Agent): Promise<{ text: string; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, agent }, async (res) => {
      let text = ''
      for await (const chunk of res) text += chunk
      resolve({ text, connection: res.headers.connection })
    })
    asked.on('error', reject).end()
  })
}

test('what was asked before is answered, and says that the connection ends', async () => {
  const { server, port } = await start()
  const agent = new Agent({ keepAlive: true })
  expect((await get(port, agent)).connection).toBe('keep-alive')
  const underWay = get(port, agent)
  await sleep(50)
  const stopped = stopServer(server)
  expect(await underWay).toEqual({ text: 'done', connection: 'close' })
  await stopped
  await expect(get(port, agent)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  agent.destroy()
})

test('a caller that asks on and on over its connection is told to go, and loses no answer', async () => {
  const { server, port } = await start()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const answers: string[] = []
  const asking = (async () => {
    for (;;) answers.push((await get(port, agent)).text)
  })().catch((error: NodeJS.ErrnoException) => error.code)
  await sleep(UNDER_WAY_MS / 2)
  await stopServer(server)
  expect(await asking).toBe('ECONNREFUSED')
  expect(new Set(answers)).toEqual(new Set(['done']))
  agent.destroy()
})

test('connections on which nothing is asked keep nobody', async () => {
  const { server, port } = await start()
  const idle = connect(port, '127.0.0.1')
  await once(idle, 'connect')
  const used = new Agent({ keepAlive: true })
  await get(port, used)
  await stopServer(server)
  used.destroy()
  idle.destroy()
})
