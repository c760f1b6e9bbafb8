/** Tests sending all failed deliveries of a URL again: at a rate, with progress, stopped, and after a kill. */
import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { webhookLeases, webhookUrls } from '../../drizzle/schema.ts'
import { type Database, transaction } from '../../src/db/connection/database.ts'
import { recordAttempts } from '../../src/db/webhooks/attempt.ts'
import { renewLeases } from '../../src/db/webhooks/lease.ts'
import { queueDeliveries, reclaimQueues, reopenQueues, takeQueuedLogs } from '../../src/db/webhooks/queue.ts'
import { expectErrors } from '../support/checks.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import { insertLogs, readLogs } from '../support/webhook.ts'
import { vaultWith } from '../support/webhook-url.ts'

let gatehouse: OwnInstance
beforeAll(async () => {
  gatehouse = await startInstance()
})
afterAll(() => gatehouse.stop())

const HOUR = 3_600_000
/** Waits until all logs were sent again. Another process continues at most 35 seconds after a kill. */
const resent = (ids: readonly string[]) =>
  eventually(async () => {
    for (const log of await readLogs(gatehouse, ids))
      expect(log).toMatchObject({ status: 'completed', round: 2 })
  })
const since = () => Math.floor((Date.now() - HOUR) / 1_000)

async function failedVault(count: number) {
  const receiver = await startReceiver()
  const vault = await vaultWith(gatehouse, receiver.url)
  const failed = { topic: 'ticket' as const, status: 'failed' as const, urlsDestiny: [receiver.url] }
  const [old = ''] = await insertLogs(gatehouse, vault.vaultId, {
    ...failed,
    createdAt: new Date(Date.now() - 2 * HOUR),
  })
  const ids = await insertLogs(gatehouse, vault.vaultId, ...Array(count).fill(failed))
  const untouched = await insertLogs(
    gatehouse,
    vault.vaultId,
    { ...failed, status: 'completed' },
    { ...failed, urlsDestiny: [`${receiver.url}/other`] },
  )
  const path = `/webhook_urls/${vault.idOf(receiver.url)}/resend`
  return { receiver, vault, ids, untouched: [old, ...untouched], path }
}

test('sends failed deliveries since a time again, in order and at the rate', async () => {
  const { receiver, vault, ids, untouched, path } = await failedVault(12)
  // Housekeeping can index the logs in between.
  const unchanged = async () => (await readLogs(gatehouse, untouched)).map(({ indexed: _, ...log }) => log)
  const before = await unchanged()
  expect((await vault.api.get(path)).body.data).toMatchObject({ status: 'none', total: 0, since: null })
  const begunAt = Date.now()
  const started = await vault.api.post(path, { since: since(), per_second: 4 })
  expect(started).toMatchObject({
    status: 202,
    body: { data: { status: 'running', total: 12, per_second: 4 } },
  })
  expectErrors(await vault.api.post(path, { since: since() }), 'resend_in_progress')
  const worker = await gatehouse.startWorker()
  await resent(ids)
  await eventually(async () =>
    expect((await vault.api.get(path)).body.data).toMatchObject({ status: 'finished', total: 12, sent: 12 }),
  )
  expect(receiver.received).toHaveLength(12)
  const times = receiver.received.map(({ at }) => at)
  // A busy machine can delay the first delivery, but none can arrive too early.
  expect(Math.max(...times) - begunAt).toBeGreaterThan(1_800)
  expect(await unchanged()).toEqual(before)
  const again = await vault.api.post(path, { since: since() })
  expect(again.body.data).toMatchObject({ status: 'finished', total: 0, sent: 0 })
  await receiver.stop()
  await worker.stop()
})

test('stops, and leaves the other deliveries as they are', async () => {
  const worker = await gatehouse.startWorker()
  const { receiver, vault, ids, path } = await failedVault(300)
  await vault.api.post(path, { since: since(), per_second: 2 })
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(1))
  const stopped = await vault.api.post(`${path}/stop`)
  expect(stopped).toMatchObject({ status: 200, body: { data: { status: 'stopped', total: 300 } } })
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  const { sent } = (await vault.api.get(path)).body.data
  await eventually(async () => {
    expect(receiver.received).toHaveLength(sent)
    const failed = (await readLogs(gatehouse, ids)).filter(({ status }) => status === 'failed')
    expect(failed).toHaveLength(300 - sent)
  })
  expect((await vault.api.post(`${path}/stop`)).body.data.status).toBe('stopped')
  await receiver.stop()
  await worker.stop()
})

test('continues in another process after a kill, and loses nothing', async () => {
  const { receiver, vault, ids, path } = await failedVault(20)
  const killed = await gatehouse.spawnWorker()
  await vault.api.post(path, { since: since(), per_second: 5 })
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(5))
  killed.kill('SIGKILL')
  const worker = await gatehouse.startWorker()
  await resent(ids)
  await eventually(async () =>
    expect((await vault.api.get(path)).body.data).toMatchObject({ status: 'finished', sent: 20 }),
  )
  const seen = new Set(receiver.received.map(({ attributes }) => attributes.event_id))
  expect(seen.size).toBe(20)
  await receiver.stop()
  await worker.stop()
})

test('a worker that takes over a queue also sends what the stopped one had taken', async () => {
  const { db } = gatehouse
  const url = 'https://receiver.example/hook'
  const vault = await vaultWith(gatehouse, url)
  const urlId = vault.idOf(url)
  const log = { topic: 'ticket' as const, urlsDestiny: [url] }
  const ids = await insertLogs(gatehouse, vault.vaultId, log, log, log)
  await db.orm.execute(sql`
    UPDATE webhook_logs SET url_id = ${urlId}, retries = 0,
      status = CASE id WHEN ${ids[0]}::uuid THEN 'pending' ELSE 'waiting' END,
      batch_id = CASE id WHEN ${ids[0]}::uuid THEN ${newId()}::uuid END
    WHERE vault_id = ${vault.vaultId}`)
  const leaseId = randomUUID()
  await renewLeases(db, [leaseId])
  await db.orm
    .update(webhookLeases)
    .set({
      heldSince: sql`held_since - interval '1 hour'`,
      expiresAt: sql`expires_at + interval '45 seconds'`,
    })
    .where(eq(webhookLeases.id, leaseId))
  await vault.change(url, { max_per_second: 10 })
  await db.orm
    .update(webhookUrls)
    .set({ queued: true, leaseId: randomUUID() })
    .where(eq(webhookUrls.id, urlId))

  const take = () => takeQueuedLogs(db, { batchId: newId(), leaseId, limit: 20, excludedUrls: [] })
  expect(await take()).toEqual([])
  await reclaimQueues(db, leaseId)
  expect((await take()).map(({ id }) => id)).toEqual(ids)
})

test('the end of a queue does not wait for a change of its URL, which would wait for it', async () => {
  const { db } = gatehouse
  const url = 'https://receiver.example/drained'
  const vault = await vaultWith(gatehouse, url)
  await vault.change(url, { paused: true })
  await vault.change(url, { paused: false })
  const ofUrl = eq(webhookUrls.id, vault.idOf(url))
  const leaseId = randomUUID()
  await renewLeases(db, [leaseId])
  const take = () => takeQueuedLogs(db, { batchId: newId(), leaseId, limit: 1_000, excludedUrls: [] })
  const isQueued = async () => (await db.orm.select().from(webhookUrls).where(ofUrl))[0]?.queued
  await transaction(db, async (tx) => {
    await tx.orm.execute(sql`SELECT FROM webhook_settings WHERE vault_id = ${vault.vaultId} FOR UPDATE`)
    expect(await take()).toEqual([])
    await tx.orm.update(webhookUrls).set({ name: 'Drained' }).where(ofUrl)
  })
  expect(await isQueued()).toBe(true)
  await take()
  expect(await isQueued()).toBe(false)
})

test.each(['the end of the queue', 'a change of the options'])(
  'a delivery that is being moved to the queue of a URL is sent in spite of %s',
  async (rival) => {
    const { db } = gatehouse
    const url = `https://receiver.example/${randomUUID()}`
    const vault = await vaultWith(gatehouse, url)
    await vault.change(url, { paused: true })
    await vault.change(url, { paused: false })
    const urlId = vault.idOf(url)
    const leaseId = randomUUID()
    await renewLeases(db, [leaseId])
    const [id = ''] = await insertLogs(gatehouse, vault.vaultId, { topic: 'ticket', urlsDestiny: [url] })
    const own = sql`UPDATE webhook_logs SET status = 'pending', lease_id = ${leaseId} WHERE id = ${id}`
    await db.orm.execute(own)
    const take = () => takeQueuedLogs(db, { batchId: newId(), leaseId, limit: 1_000, excludedUrls: [] })
    // The process that moves the delivery has read the options while the URL had a queue.
    if (rival === 'a change of the options') await take()
    const change = await transaction(db, async (tx) => {
      await queueDeliveries(tx, [{ id, leaseId, url, urlId }])
      if (rival === 'the end of the queue') expect(await take()).toEqual([])
      const changed = rival === 'the end of the queue' ? null : vault.change(url, { name: 'Renamed' })
      if (changed) await eventually(() => expectWaiting(gatehouse, 1))
      return { changed }
    })
    await change.changed
    expect((await take()).map((log) => log.id)).toEqual([id])

    await db.orm.execute(sql`UPDATE webhook_logs SET status = 'waiting', batch_id = NULL WHERE id = ${id}`)
    await db.orm.execute(sql`UPDATE webhook_urls SET queued = false, lease_id = NULL WHERE id = ${urlId}`)
    await reopenQueues(db)
    expect((await take()).map((log) => log.id)).toEqual([id])
  },
)

test('claims from a queue, and other moves to it, do not wait for a move', async () => {
  const { db } = gatehouse
  const url = 'https://receiver.example/flooded'
  const vault = await vaultWith(gatehouse, url)
  await vault.change(url, { paused: true })
  await vault.change(url, { paused: false })
  const urlId = vault.idOf(url)
  const leaseId = randomUUID()
  await renewLeases(db, [leaseId])
  const log = { topic: 'ticket' as const, status: 'pending' as const, urlsDestiny: [url], leaseId }
  const [first = '', second = '', third = ''] = await insertLogs(gatehouse, vault.vaultId, log, log, log)
  const move = (tx: Database, id: string) => queueDeliveries(tx, [{ id, leaseId, url, urlId }])
  const take = async () =>
    (await takeQueuedLogs(db, { batchId: newId(), leaseId, limit: 1_000, excludedUrls: [] })).map(
      ({ id }) => id,
    )
  await move(db, first)
  await transaction(db, async (tx) => {
    await move(tx, second)
    expect(await take()).toEqual([first])
    expect(await move(db, third)).toEqual(new Set([third]))
    expect(await take()).toEqual([third])
  })
  await transaction(db, async (tx) => {
    await tx.orm.execute(sql`SELECT FROM webhook_logs WHERE id = ${second} FOR UPDATE`)
    expect(await take()).toEqual([])
  })
  expect(await take()).toEqual([second])
})

test('results and moves of the same deliveries do not wait for each other for ever', async () => {
  const { db } = gatehouse
  const [url, other] = ['https://receiver.example/moved', 'https://receiver.example/recorded']
  const vault = await vaultWith(gatehouse, url, other)
  await vault.change(url, { paused: true })
  const leaseId = randomUUID()
  await renewLeases(db, [leaseId])
  const log = { topic: 'ticket' as const, status: 'pending' as const, urlsDestiny: [url, other], leaseId }
  const ids = await insertLogs(gatehouse, vault.vaultId, log, log, log)
  const result = { url: other, statusCode: 500, error: 'HTTP status 500', durationMs: 1, excerpt: null }
  const recordings = ids.toReversed().map((id) => ({
    ...{
      id,
      leaseId,
      round: 1,
      number: 1,
      result: { ...result, retryAfter: null },
      status: 'processing' as const,
    },
    ...{ failReason: result.error, dueInMs: null, isLast: false, at: performance.now() },
  }))
  const { work } = await transaction(db, async (tx) => {
    await tx.orm.execute(sql`SELECT FROM webhook_logs WHERE id = ${ids[1]} FOR UPDATE`)
    // Uses the plan for many logs.
    const recorded = transaction(db, async (own) => {
      for (const plan of ['seqscan', 'hashjoin', 'mergejoin'])
        await own.orm.execute(sql.raw(`SET LOCAL enable_${plan} = off`))
      await recordAttempts(own, recordings)
    })
    await eventually(() => expectWaiting(gatehouse, 1))
    const moved = queueDeliveries(
      db,
      ids.map((id) => ({ id, leaseId, url, urlId: vault.idOf(url) })),
    )
    const work = Promise.allSettled([recorded, moved])
    await eventually(() => expectWaiting(gatehouse, 2))
    return { work }
  })
  expect((await work).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  for (const moved of await readLogs(gatehouse, ids))
    expect(moved).toMatchObject({ status: 'processing', urlsDestiny: [other] })
})

/** Waits until this number of statements about deliveries wait for locks. */
async function expectWaiting({ db }: OwnInstance, count: number): Promise<void> {
  const [row] = await db.orm.execute<{ waiting: number }>(sql`
    SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%webhook_%'`)
  expect(row?.waiting).toBe(count)
}
