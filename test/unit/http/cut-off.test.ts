import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Pool } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cutOff } from '../../../src/http/cut-off.ts'
import { createExpress } from '../../../src/http/router.ts'
import { createHttpServer } from '../../../src/http/server.ts'

const app = createExpress()
app.use(cutOff)
app.post('/refused', (_req, res) => {
  res.status(503).json({ errors: [] })
})
app.post('/read', (req, res) => {
  req.resume().on('end', () => res.json({}))
})
const server = createHttpServer(app)
let port: number

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Sends the start of a request, and returns everything that the server sends until it closes the connection. */
function send(start: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.write(start)
  return text(socket)
}

it('announces the end of the connection if the response precedes the end of the request', async () => {
  const response = await send('POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nstart')
  expect(response).toMatch(/^HTTP\/1.1 503 /)
  expect(response).toMatch(/\r\nConnection: close\r\n/)
})

it('keeps the connection if the request is complete', async () => {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 })
  for (const body of ['{}', Buffer.alloc(2_000_000)]) {
    const read = await pool.request({ path: '/read', method: 'POST', body })
    expect(read.headers.connection).toBe('keep-alive')
    await read.body.dump()
  }
  const empty = await pool.request({ path: '/refused', method: 'POST' })
  expect(empty.headers.connection).toBe('keep-alive')
  await empty.body.dump()
  await pool.close()
})

it('refuses large requests on one connection after another without a connection error', async () => {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 10 })
  const body = Buffer.alloc(10_000_000)
  const send = async () => {
    for (let n = 0; n < 5; n += 1) {
      const { statusCode, body: content } = await pool.request({ path: '/refused', method: 'POST', body })
      expect(await content.json()).toEqual({ errors: [] })
      expect(statusCode).toBe(503)
    }
  }
  await Promise.all(Array.from({ length: 10 }, send))
  await pool.close()
})
