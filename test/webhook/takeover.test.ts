/**
 * Tests that the workflow takes over first attempts made with the claim, and that no process repeats
 * another's attempts.
 */
import { eq, inArray, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { webhookAttempts, webhookLeases, webhookLogs } from '../../drizzle/schema.ts'
import { transaction } from '../../src/db/connection/database.ts'
import { claimNextAttempts } from '../../src/db/webhooks/next-attempt-claim.ts'
import { createLogger } from '../../src/process/log.ts'
import { createDeliverer } from '../../src/webhooks/deliverer.ts'
import { createEgress } from '../../src/webhooks/egress.ts'
import { createLeases } from '../../src/webhooks/leases.ts'
import { NotSent } from '../../src/webhooks/send.ts'
import { eventually, type OwnInstance, startInstance, unique } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import { attemptsOf, causeEvent, deliverTo, readLog, settledLog, startBatch } from '../support/webhook.ts'

describe('the takeover of attempts', () => {
  let gatehouse: OwnInstance
  beforeAll(async () => {
    gatehouse = await startInstance()
  })
  afterAll(() => gatehouse.stop())

  const workflowOf = async (id: string) => {
    const { batchId } = await readLog(gatehouse, id)
    return gatehouse.temporal.workflow.getHandle(`webhook-deliveries-${batchId}`)
  }

  test('completes the workflow after the first attempts, and sends the log once', async () => {
    const worker = await gatehouse.startWorker()
    const receiver = await startReceiver()
    await deliverTo(gatehouse, receiver.url)
    const { id } = await causeEvent(gatehouse)
    await settledLog(gatehouse, id)
    const workflow = await eventually(() => workflowOf(id))
    await eventually(async () => expect((await workflow.describe()).status.name).toBe('COMPLETED'))
    expect(receiver.received).toHaveLength(1)
    expect(await attemptsOf(gatehouse, id)).toHaveLength(1)
    await receiver.stop()
    await worker.stop()
  })

  test('leaves another process’s attempt until its lease has expired', async () => {
    const receiver = await startReceiver()
    await deliverTo(gatehouse, receiver.url)
    const { id } = await causeEvent(gatehouse)
    const [batchId, leaseId] = [newId(), newId()]
    const until = new Date(Date.now() + 8_000)
    await gatehouse.db.orm
      .insert(webhookLeases)
      .values({ id: leaseId, heldSince: new Date(), expiresAt: until })
    await gatehouse.db.orm.update(webhookLogs).set({ batchId, leaseId }).where(eq(webhookLogs.id, id))
    const worker = await gatehouse.startWorker()
    await startBatch(gatehouse, batchId, [id])
    expect((await settledLog(gatehouse, id)).status).toBe('completed')
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]?.at).toBeGreaterThan(until.getTime())
    await receiver.stop()
    await worker.stop()
  })

  test('ignores logs that have moved to another batch', async () => {
    const receiver = await startReceiver()
    await deliverTo(gatehouse, receiver.url)
    const { id } = await causeEvent(gatehouse)
    await gatehouse.db.orm.update(webhookLogs).set({ batchId: newId() }).where(eq(webhookLogs.id, id))
    const worker = await gatehouse.startWorker()
    const old = newId()
    await startBatch(gatehouse, old, [id])
    await gatehouse.temporal.workflow.getHandle(`webhook-deliveries-${old}`).result()
    expect(receiver.received).toEqual([])
    expect((await readLog(gatehouse, id)).status).toBe('pending')
    await receiver.stop()
    await worker.stop()
  })

  test('records other results even if one cannot be recorded', async () => {
    const receiver = await startReceiver()
    await deliverTo(gatehouse, receiver.url)
    const good = await causeEvent(gatehouse)
    const bad = await causeEvent(gatehouse)
    const batchId = newId()
    // The URL is too long for an index entry.
    const long = Array.from({ length: 2_000 }, () => unique()).join('')
    const urlsDestiny = [`${receiver.url}?${long.slice(0, 7_000)}`]
    await gatehouse.db.orm.update(webhookLogs).set({ urlsDestiny }).where(eq(webhookLogs.id, bad.id))
    const both = inArray(webhookLogs.id, [good.id, bad.id])
    await gatehouse.db.orm.update(webhookLogs).set({ batchId }).where(both)
    const worker = await gatehouse.startWorker()
    await startBatch(gatehouse, batchId, [good.id, bad.id])
    expect((await settledLog(gatehouse, good.id)).status).toBe('completed')
    expect(await attemptsOf(gatehouse, bad.id)).toEqual([])
    await gatehouse.temporal.workflow.getHandle(`webhook-deliveries-${batchId}`).terminate()
    await receiver.stop()
    await worker.stop()
  })

  test('retries failed first attempts in the workflow after ten seconds', async () => {
    const worker = await gatehouse.startWorker()
    const receiver = await startReceiver((res, nth) => res.writeHead(nth < 1 ? 503 : 200).end())
    await deliverTo(gatehouse, receiver.url)
    const begunAt = Date.now()
    const { id } = await causeEvent(gatehouse)
    const log = await settledLog(gatehouse, id)
    expect([log.status, log.retries]).toEqual(['completed', 1])
    expect((receiver.received[1]?.at ?? 0) - begunAt).toBeGreaterThan(9_900)
    await receiver.stop()
    await worker.stop()
  })

  const newDeliverer = (egress = createEgress({ allowPrivate: true })) => {
    const log = createLogger(gatehouse.config.LOG_LEVEL, 'test')
    const leases = createLeases({ db: gatehouse.db, log })
    const lookUp = async () => {}
    const deliverer = createDeliverer({ db: gatehouse.db, egress, lookUp, leases, log })
    return { ...deliverer, stop: () => deliverer.stop().then(leases.stop) }
  }
  const toBatch = (id: string, batchId: string) =>
    gatehouse.db.orm.update(webhookLogs).set({ batchId }).where(eq(webhookLogs.id, id))

  test('keeps the results of batches apart if a log moves from one to another', async () => {
    const receiver = await startReceiver()
    await deliverTo(gatehouse, receiver.url)
    const [busy, moved] = [await causeEvent(gatehouse), await causeEvent(gatehouse)]
    const [from, to] = [newId(), newId()]
    for (const { id } of [busy, moved]) await toBatch(id, from)
    const deliverer = newDeliverer()
    const limits = { timeoutMs: 120_000, waitsForSlowHosts: false }
    // The lock blocks the statement for one log, and the statement for the other log waits for it.
    await transaction(gatehouse.db, async (tx) => {
      await tx.orm.select().from(webhookLogs).where(eq(webhookLogs.id, busy.id)).for('update')
      const first = deliverer.attempt(from, [busy.id], limits)
      await eventually(async () => {
        const waiting = sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%WITH next_attempts%'`
        expect(await gatehouse.db.orm.execute(waiting)).toHaveLength(1)
      })
      void first
      const late = deliverer.attempt(from, [moved.id], limits)
      void late
      await toBatch(moved.id, to)
    })
    const outcomes = await deliverer.attempt(to, [moved.id], limits)
    expect(outcomes.get(moved.id)).toEqual({ is: 'final' })
    expect((await readLog(gatehouse, moved.id)).status).toBe('completed')
    await deliverer.stop()
    await receiver.stop()
  })

  test('repeats an attempt that failed for lack of file descriptors, without counting it', async () => {
    const receiver = await startReceiver()
    await deliverTo(gatehouse, receiver.url, `${receiver.url}/other`)
    const { id } = await causeEvent(gatehouse)
    const batchId = newId()
    await toBatch(id, batchId)
    const egress = createEgress({ allowPrivate: true })
    const { dispatch } = egress
    let left = 1
    const scarce = Object.assign(Object.create(egress), {
      ofUrl: () => scarce,
      dispatch(...[request, handler]: Parameters<typeof dispatch>) {
        if (left-- > 0) return egress.dispatch(request, handler)
        const error = Object.assign(new Error('too many open files'), { code: 'EMFILE' })
        handler.onResponseError?.({} as never, error)
        return true
      },
    })
    const deliverer = newDeliverer(scarce)
    const limits = { timeoutMs: 120_000, waitsForSlowHosts: false }
    const outcomes = await deliverer.attempt(batchId, [id], limits)
    expect(outcomes.get(id)).toEqual({ is: 'unknown', error: expect.any(NotSent) })
    expect(await attemptsOf(gatehouse, id)).toMatchObject([{ number: 1, error: null }])
    left = 1
    expect((await deliverer.attempt(batchId, [id], limits)).get(id)).toEqual({ is: 'final' })
    expect(await attemptsOf(gatehouse, id)).toMatchObject([{ error: null }, { error: null }])
    expect((await readLog(gatehouse, id)).status).toBe('completed')
    expect(receiver.received).toHaveLength(2)
    await deliverer.stop()
    await receiver.stop()
  })

  test('makes the next attempt due ten seconds after the start of the earlier one, even if one URL was slow', async () => {
    await deliverTo(gatehouse, 'http://127.0.0.1:9/quick', 'http://127.0.0.1:9/slow')
    const { id } = await causeEvent(gatehouse)
    const [batchId, leaseId] = [newId(), newId()]
    const set = { batchId, status: 'processing' as const }
    await gatehouse.db.orm.update(webhookLogs).set(set).where(eq(webhookLogs.id, id))
    const ago = (ms: number) => new Date(Date.now() - ms)
    const refused = { webhookLogId: id, round: 1, number: 1, error: 'HTTP status 503' }
    await gatehouse.db.orm.insert(webhookAttempts).values([
      { ...refused, url: 'http://127.0.0.1:9/quick', durationMs: 5, createdAt: ago(9_995) },
      { ...refused, url: 'http://127.0.0.1:9/slow', durationMs: 10_000, createdAt: ago(0) },
    ])
    const [next] = await claimNextAttempts(gatehouse.db, leaseId, [{ id, batchId }])
    expect(next).toMatchObject({ is: 'claimed', attempt: { number: 2 } })
  })

  test('ends an abandoned lease with its attempt in progress, and sends nothing more under it', async () => {
    const leases = createLeases({ db: gatehouse.db, log: createLogger(gatehouse.config.LOG_LEVEL, 'test') })
    const lease = await leases.getCurrent()
    let sent = () => {}
    const sending = leases.keepDuring(lease, new Promise<void>((resolve) => (sent = resolve)))
    leases.abandon(lease)
    expect(lease.isHeld()).toBe(false)
    expect((await leases.getCurrent()).id).not.toBe(lease.id)
    const rows = () => gatehouse.db.orm.select().from(webhookLeases).where(eq(webhookLeases.id, lease.id))
    // The row remains, so that no other process takes over the attempt before its result is recorded.
    expect(await rows()).toHaveLength(1)
    sent()
    await sending
    await eventually(async () => expect(await rows()).toEqual([]))
    await leases.stop()
  })
})
