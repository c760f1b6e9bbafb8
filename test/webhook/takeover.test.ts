/** First attempts begin with the claim; the workflow takes them over, and no process repeats another's. */
import { eq, inArray } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { webhookLeases, webhookLogs } from '../../drizzle/schema.ts'
import { eventually, type Instance, startInstance, unique } from '../support/instance.ts'
import { startReceiver } from '../support/receiver.ts'
import { attemptsOf, causeEvent, deliverTo, readLog, settledLog, startBatch } from '../support/webhook.ts'

describe('taking over', () => {
  let gatehouse: Instance
  beforeAll(async () => {
    gatehouse = await startInstance()
  })
  afterAll(() => gatehouse.stop())

  const workflowOf = async (id: string) => {
    const { batchId } = await readLog(gatehouse, id)
    return gatehouse.temporal.workflow.getHandle(`webhook-deliveries-${batchId}`)
  }

  test('the workflow ends with the first attempts, and the log is sent once', async () => {
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

  test('what another process attempts is left alone until its lease is over', async () => {
    const receiver = await startReceiver()
    await deliverTo(gatehouse, receiver.url)
    const { id } = await causeEvent(gatehouse)
    const [batchId, leaseId] = [newId(), newId()]
    const until = new Date(Date.now() + 8_000)
    await gatehouse.db.orm.insert(webhookLeases).values({ id: leaseId, since: new Date(), until })
    await gatehouse.db.orm.update(webhookLogs).set({ batchId, leaseId }).where(eq(webhookLogs.id, id))
    const worker = await gatehouse.startWorker()
    await startBatch(gatehouse, batchId, [id])
    expect((await settledLog(gatehouse, id)).status).toBe('completed')
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]?.at).toBeGreaterThan(until.getTime())
    await receiver.stop()
    await worker.stop()
  })

  test('a batch leaves alone what has gone to another one', async () => {
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

  test('a result that cannot be recorded does not take the others of its moment along', async () => {
    const receiver = await startReceiver()
    await deliverTo(gatehouse, receiver.url)
    const good = await causeEvent(gatehouse)
    const bad = await causeEvent(gatehouse)
    const batchId = newId()
    // Longer than an index entry can be.
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

  test('what the first attempts leave is tried again by the workflow, ten seconds later', async () => {
    const worker = await gatehouse.startWorker()
    const receiver = await startReceiver((res, nth) => res.writeHead(nth < 1 ? 503 : 200).end())
    await deliverTo(gatehouse, receiver.url)
    const { id } = await causeEvent(gatehouse)
    const log = await settledLog(gatehouse, id)
    expect([log.status, log.retries]).toEqual(['completed', 1])
    const [first, second] = receiver.received
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(9_500)
    await receiver.stop()
    await worker.stop()
  })
})
