/** PostgreSQL goes away under a request: the process lives on, and the answer is 503. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { composeApi } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import { databaseAway, transaction } from '../../src/db/database.ts'
import { createHttpServer, stopServer } from '../../src/http/server.ts'
import { eventually, type Instance, startInstance } from '../support/instance.ts'
import { startProxy } from '../support/proxy.ts'

test('while the database is away the API lives and is not ready', async () => {
  const plain = await startInstance()
  const proxy = await startProxy(plain.env.DATABASE_URL)
  const gatehouse = composeApi(readConfig({ ...plain.env, DATABASE_URL: proxy.url }), plain.log)
  const server = createHttpServer(gatehouse.app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const statuses = () =>
    Promise.all(
      ['/readyz', '/livez', '/health'].map(
        async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).status,
      ),
    )
  expect(await statuses()).toEqual([200, 200, 200])
  proxy.refuse()
  await eventually(async () => expect(await statuses()).toEqual([503, 200, 200]))
  proxy.heal()
  await eventually(async () => expect(await statuses()).toEqual([200, 200, 200]))
  await stopServer(server)
  await gatehouse.stop()
  await proxy.stop()
  await plain.stop()
})

describe('a connection that PostgreSQL ends', () => {
  let gatehouse: Instance
  beforeAll(async () => {
    gatehouse = await startInstance()
  })
  afterAll(() => gatehouse.stop())

  test('in the middle of a transaction fails that transaction alone', async () => {
    const ended = transaction(gatehouse.db, async (tx) => {
      const rows = await tx.orm.execute<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`)
      await gatehouse.db.orm.execute(sql`SELECT pg_terminate_backend(${rows[0]?.pid})`)
      await new Promise((resolve) => setTimeout(resolve, 200))
      await tx.orm.execute(sql`SELECT 1`)
    })
    const error = await ended.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(databaseAway(error)).toBe(true)
    expect((await gatehouse.api.get('/kyb')).status).toBe(200)
  })

  test('under every request at once is a 503 with Retry-After, and the next requests are answered', async () => {
    const slow = sql`SELECT pg_sleep(1)`
    const waiting = [1, 2, 3].map(() =>
      gatehouse.db.orm.execute(slow).catch((error: unknown) => databaseAway(error)),
    )
    await new Promise((resolve) => setTimeout(resolve, 200))
    await gatehouse.db.orm.execute(
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    expect(await Promise.all(waiting)).toEqual([true, true, true])
    expect((await gatehouse.api.get('/kyb')).status).toBe(200)
  })
})
