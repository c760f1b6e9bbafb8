/** Tests the connection that notifies workers of webhook logs: it is reconnected after a loss. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { DatabasePool } from '../../src/db/connection/database.ts'
import { listen, notifyWebhookLogs } from '../../src/db/connection/notification.ts'
import { createLogger } from '../../src/process/log.ts'
import { sessionsOf } from '../support/connections.ts'
import { cloneDatabase, dropDatabase, openDatabase } from '../support/database.ts'
import { eventually, unique } from '../support/instance.ts'
import { type PostgresProxy, startProxy } from '../support/proxy.ts'

const name = `test_${unique().slice(0, 8)}`
const log = createLogger('silent', 'test')
let databaseUrl: string
let db: DatabasePool
let proxy: PostgresProxy
let notified: number
let listening: ReturnType<typeof listen>

beforeAll(async () => {
  databaseUrl = await cloneDatabase(name)
  db = openDatabase(databaseUrl, undefined, { connections: 1 })
  proxy = await startProxy(databaseUrl)
})
afterAll(async () => {
  await proxy.stop()
  await db.end()
  await dropDatabase(name)
})
beforeEach(() => {
  notified = 0
  listening = listen(proxy.url, 'webhook_logs', () => void notified++, log)
})
afterEach(async () => {
  proxy.heal()
  await listening.stop()
})

const untilNotified = (count: number) => eventually(() => expect(notified).toBe(count))

test('notifies once when listening starts, then once for each log', async () => {
  await untilNotified(1)
  for (const count of [2, 3, 4]) {
    await notifyWebhookLogs(db)
    await untilNotified(count)
  }
})

test('listens again and notifies after every lost connection', async () => {
  await untilNotified(1)
  for (const count of [2, 4]) {
    proxy.cutAll()
    await untilNotified(count)
    await notifyWebhookLogs(db)
    await untilNotified(count + 1)
  }
})

test('retries at intervals if connections are refused', async () => {
  await untilNotified(1)
  const [before, began] = [proxy.accepted(), performance.now()]
  proxy.refuse()
  await eventually(() => expect(proxy.accepted() - before).toBeGreaterThan(2))
  const seconds = (performance.now() - began) / 1_000
  // Without a delay, the driver would retry thousands of times in this period.
  expect(proxy.accepted() - before).toBeLessThan(10 + seconds)
  proxy.heal()
  await untilNotified(2)
  await notifyWebhookLogs(db)
  await untilNotified(3)
})

test.each(['stalled', 'refused', 'open'] as const)('stops while the connection is %s', async (state) => {
  await untilNotified(1)
  if (state === 'stalled') proxy.stall()
  if (state === 'refused') proxy.refuse()
  await listening.stop()
  const before = proxy.accepted()
  proxy.heal()
  // The only session counted is the test's own.
  await eventually(async () => expect(await sessionsOf(databaseUrl)).toBe(1))
  expect(proxy.accepted()).toBe(before)
})
