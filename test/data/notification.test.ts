/** The connection on which workers hear of webhook logs: lost, it is made again, and news is made up for. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { newKeys } from '../../dev/launcher/secrets.ts'
import { type DatabasePool, openDatabase } from '../../src/db/connection/database.ts'
import { listen, notifyWebhookLogs } from '../../src/db/connection/notification.ts'
import { createLogger } from '../../src/process/log.ts'
import { createEncryption } from '../../src/storage/encryption.ts'
import { sessionsOf } from '../support/connections.ts'
import { cloneDatabase, dropDatabase } from '../support/database.ts'
import { eventually, unique } from '../support/instance.ts'
import { type PostgresProxy, startProxy } from '../support/proxy.ts'

const name = `test_${unique().slice(0, 8)}`
const log = createLogger('silent', 'test')
let databaseUrl: string
let db: DatabasePool
let proxy: PostgresProxy
let heard: number
let listening: ReturnType<typeof listen>

beforeAll(async () => {
  databaseUrl = await cloneDatabase(name)
  db = openDatabase(databaseUrl, createEncryption(newKeys()), log, { connections: 1 })
  proxy = await startProxy(databaseUrl)
})
afterAll(async () => {
  await proxy.stop()
  await db.end()
  await dropDatabase(name)
})
beforeEach(() => {
  heard = 0
  listening = listen(proxy.url, 'webhook_logs', () => void heard++, log)
})
afterEach(async () => {
  proxy.heal()
  await listening.stop()
})

const hears = (count: number) => eventually(() => expect(heard).toBe(count))

test('hears once that it listens, then each piece of news', async () => {
  await hears(1)
  for (const count of [2, 3, 4]) {
    await notifyWebhookLogs(db)
    await hears(count)
  }
})

test('cut off, listens again and is told so, again and again', async () => {
  await hears(1)
  for (const count of [2, 4]) {
    proxy.cutAll()
    await hears(count)
    await notifyWebhookLogs(db)
    await hears(count + 1)
  }
})

test('refused, tries again once in a while until it is let in', async () => {
  await hears(1)
  const before = proxy.accepted()
  proxy.refuse()
  await eventually(() => expect(proxy.accepted() - before).toBeGreaterThan(2))
  // A driver left to itself tries thousands of times in that while.
  expect(proxy.accepted() - before).toBeLessThan(10)
  proxy.heal()
  await hears(2)
  await notifyWebhookLogs(db)
  await hears(3)
})

test.each(['stalled', 'refused', 'at peace'] as const)('stops while it is %s', async (state) => {
  await hears(1)
  if (state === 'stalled') proxy.stall()
  if (state === 'refused') proxy.refuse()
  await listening.stop()
  const before = proxy.accepted()
  proxy.heal()
  // The one that counts is the test's own.
  await eventually(async () => expect(await sessionsOf(databaseUrl)).toBe(1))
  expect(proxy.accepted()).toBe(before)
})
