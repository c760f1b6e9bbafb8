/** Tests that a key that reads long lists slowly does not keep the other keys of its vault from reading. */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { mountRoutes } from '../../../src/api/routing/mount.ts'
import { route } from '../../../src/api/routing/route.ts'
import type { RouteDeps } from '../../../src/http/deps.ts'
import { createExpress } from '../../../src/http/router.ts'
import { createHttpServer } from '../../../src/http/server.ts'
import type { Caller } from '../../../src/use-cases/access/caller.ts'
import { createSharedLimit } from '../../../src/use-cases/limits/concurrency-limit.ts'
import { READS, SLOTS } from '../../../src/use-cases/limits/table.ts'

async function* endless(): AsyncGenerator<object> {
  for (;;) yield { text: 'x'.repeat(1_000_000) }
}

const about = { role: 'api_read', summary: '', response: { 200: z.any() } } as const
const routes = [
  route({
    ...{ ...about, name: 'long', at: 'GET /long' },
    handler: async () => ({ body: { data: [] }, rest: endless() }),
  }),
  route({ ...{ ...about, name: 'short', at: 'GET /short' }, handler: async () => ({ body: { data: [] } }) }),
]
const callerNamed = (actor: string): Caller => ({
  ...{ actor, userId: null, grants: [], mustChangePassword: false },
  vaults: [{ id: 'a', name: 'A', roles: ['api_read'] }],
})
const deps = {
  authenticate: async (_: unknown, actor = '') => callerNamed(actor),
  limit: async () => () => {},
  reading: createSharedLimit(SLOTS.reading),
} as unknown as RouteDeps

test('disconnects one client of the key with the most slots, and serves another key', async () => {
  const server = createHttpServer(createExpress().use(mountRoutes(deps, 'client', routes))).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clients = Array.from({ length: READS.maxConcurrent }, () => connect(port, '127.0.0.1'))
  const closed: number[] = []
  for (const [n, client] of clients.entries()) {
    client.on('close', () => closed.push(n)).on('error', () => {})
    client.write('GET /long HTTP/1.1\r\nHost: a\r\nAuthorization: slow\r\n\r\n')
    // Reads the head, and then nothing more.
    await once(client, 'readable')
  }
  const headers = { Authorization: 'other', Connection: 'close' }
  expect((await fetch(`http://127.0.0.1:${port}/short`, { headers })).status).toBe(200)
  for (const client of clients) client.resume()
  while (closed.length === 0) await new Promise(setImmediate)
  expect(closed).toEqual([0])
  for (const client of clients) client.destroy()
  server.close()
})
