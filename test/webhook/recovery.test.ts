/**
 * Tests deliveries after crashes: housekeeping finds unfinished ones, and recorded attempts are not repeated.
 */
import type { Client } from '@temporalio/client'
import { WorkflowNotFoundError } from '@temporalio/common'
import { eq, inArray } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActivityDeps } from '../../activities/deps.ts'
import { createHousekeepingActivities } from '../../activities/housekeeping.ts'
import { identifications, kybApplications, webhookAttempts, webhookLogs } from '../../drizzle/schema.ts'
import { type Database, transaction } from '../../src/db/connection/database.ts'
import { findPendingInOldBatches, findProcessingInOldBatches } from '../../src/db/webhooks/batch.ts'
import { insertWebhookLogs } from '../../src/db/webhooks/outbox.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { startProxy } from '../support/proxy.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import {
  attemptsOf,
  creationEvent,
  deliverTo,
  oldBatchId,
  publish,
  readLog,
  reconcile,
  settledLog,
  startBatch,
  workersClient,
} from '../support/webhook.ts'

describe('recovery of deliveries', () => {
  let gatehouse: OwnInstance
  let receiver: Receiver
  /** Creates the housekeeping activities with this Temporal client. */
  const housekeepingBy = (temporal: Client) => {
    const { db, blobs, log } = gatehouse
    return createHousekeepingActivities({
      db,
      blobs,
      log,
      temporal,
      starter: { resume() {} },
      dispatcher: { wake() {} },
      screening: { screenDue: async () => 0 },
      webhookLogRetentionDays: 90,
    } as unknown as ActivityDeps)
  }
  beforeAll(async () => {
    gatehouse = await startInstance()
    receiver = await startReceiver()
    await deliverTo(gatehouse, receiver.url)
  })
  afterAll(async () => {
    await gatehouse.stop()
    await receiver.stop()
  })

  const claim = (id: string, batchId: string, { orm }: Database = gatehouse.db) =>
    orm.update(webhookLogs).set({ batchId }).where(eq(webhookLogs.id, id))

  /**
   * Inserts a log as if its process died immediately after the commit. With `batchId`, the process has claimed it in the
   * same transaction, so that no worker claims it before.
   */
  const committedLog = (batchId?: string): Promise<string> =>
    transaction(gatehouse.db, async (tx) => {
      const [id = ''] = await insertWebhookLogs(tx, gatehouse.vaultId, [creationEvent()])
      if (batchId) await claim(id, batchId, tx)
      return id
    })

  test('delivers a log that no process claimed', async () => {
    const worker = await gatehouse.startWorker()
    const id = await committedLog()
    await reconcile(gatehouse)
    expect((await settledLog(gatehouse, id)).status).toBe('completed')
    await worker.stop()
  })

  test('delivers a claimed log in another batch if its own batch was never started', async () => {
    const worker = await gatehouse.startWorker()
    const batchId = oldBatchId()
    const id = await committedLog(batchId)
    await reconcile(gatehouse)
    const log = await settledLog(gatehouse, id)
    expect(log.status).toBe('completed')
    expect(log.batchId).not.toBe(batchId)
    await worker.stop()
  })

  test('leaves a batch that was claimed recently to the claiming process', async () => {
    const worker = await gatehouse.startWorker()
    // The batch remains young on a busy machine, because its process’s clock is ahead.
    const batchId = newId({ msecs: Date.now() + 100_000 })
    const id = await committedLog(batchId)
    await reconcile(gatehouse)
    expect(await readLog(gatehouse, id)).toMatchObject({ status: 'pending', batchId })
    await claim(id, oldBatchId())
    await reconcile(gatehouse)
    expect((await settledLog(gatehouse, id)).status).toBe('completed')
    await worker.stop()
  })

  test('finds a log that a process claimed with a clock one day ahead', async () => {
    const tomorrow = newId({ msecs: Date.now() + 86_400_000 })
    const id = await committedLog(tomorrow)
    expect((await findPendingInOldBatches(gatehouse.db, null)).found).toContainEqual({
      id,
      batchId: tomorrow,
    })
    await gatehouse.db.orm.update(webhookLogs).set({ status: 'processing' }).where(eq(webhookLogs.id, id))
    expect((await findProcessingInOldBatches(gatehouse.db, null)).found).toContainEqual({
      id,
      batchId: tomorrow,
    })
    await gatehouse.db.orm.update(webhookLogs).set({ status: 'failed' }).where(eq(webhookLogs.id, id))
  })

  test('continues each scan after its last position, until it has covered all vaults and logs', async () => {
    const { db } = gatehouse
    const batchId = oldBatchId()
    const ids = await Promise.all(Array.from({ length: 3 }, () => committedLog(batchId)))
    const found = async () =>
      (await findPendingInOldBatches(db, null)).found.map(({ id }) => id).filter((id) => ids.includes(id))
    expect((await found()).sort()).toEqual(ids.sort())
    expect((await findPendingInOldBatches(db, gatehouse.vaultId)).found).toEqual([])

    const isOurs = inArray(webhookLogs.id, ids)
    await db.orm.update(webhookLogs).set({ status: 'processing' }).where(isOurs)
    const [first = '', ...others] = ids.sort()
    const behind = await findProcessingInOldBatches(db, { vaultId: gatehouse.vaultId, round: 1, id: first })
    expect(behind).toEqual({ found: others.map((id) => ({ id, batchId })), next: null })
    await db.orm
      .update(webhookLogs)
      .set({ dueAt: new Date(Date.now() + 3_600_000) })
      .where(isOurs)
    expect((await findProcessingInOldBatches(db, null)).found).toEqual([])
    await db.orm.update(webhookLogs).set({ status: 'failed', dueAt: null }).where(isOurs)
  })

  test('delivers the logs of a batch that completed without finishing them', async () => {
    const worker = await gatehouse.startWorker()
    const batchId = oldBatchId()
    const id = await committedLog(batchId)
    // Starts a batch with this ID that does not contain the log.
    await startBatch(gatehouse, batchId, [])
    await gatehouse.temporal.workflow.getHandle(`webhook-deliveries-${batchId}`).result()
    await reconcile(gatehouse)
    const log = await settledLog(gatehouse, id)
    expect(log.status).toBe('completed')
    expect(log.batchId).not.toBe(batchId)
    await worker.stop()
  })

  test('delivers the logs of a terminated batch', async () => {
    const batchId = oldBatchId()
    const id = await committedLog(batchId)
    await startBatch(gatehouse, batchId, [id])
    await gatehouse.temporal.workflow.getHandle(`webhook-deliveries-${batchId}`).terminate()
    const worker = await gatehouse.startWorker()
    await reconcile(gatehouse)
    expect((await settledLog(gatehouse, id)).status).toBe('completed')
    await worker.stop()
  })

  test('keeps the logs of a running batch that is not listed yet', async () => {
    const { temporal } = gatehouse
    const nothingListed = { list: { value: async function* () {} } }
    const unlisted = Object.create(temporal, {
      workflow: { value: Object.create(temporal.workflow, nothingListed) },
    })
    const housekeeping = housekeepingBy(unlisted)
    const batchId = oldBatchId()
    const id = await committedLog(batchId)
    await startBatch(gatehouse, batchId, [id])
    expect(await housekeeping.runHousekeeping()).toMatchObject({ recoverDeliveries: 0 })
    expect((await readLog(gatehouse, id)).batchId).toBe(batchId)
    await temporal.workflow.getHandle(`webhook-deliveries-${batchId}`).terminate()
    const worker = await gatehouse.startWorker()
    await reconcile(gatehouse)
    expect((await settledLog(gatehouse, id)).status).toBe('completed')
    await worker.stop()
  })

  test('keeps the logs of a batch that cannot be queried, without delaying other batches', async () => {
    const temporal = await workersClient(gatehouse)
    const [silent, gone] = [oldBatchId(), oldBatchId()]
    const [kept, recovered] = [await committedLog(silent), await committedLog(gone)]
    const getHandle = (workflowId: string) =>
      workflowId.endsWith(silent)
        ? { describe: () => Promise.reject(new Error('no answer')) }
        : temporal.workflow.getHandle(workflowId)
    const workflow = Object.create(temporal.workflow, { getHandle: { value: getHandle } })
    const housekeeping = housekeepingBy(Object.create(temporal, { workflow: { value: workflow } }))
    expect(await housekeeping.runHousekeeping()).toMatchObject({ recoverDeliveries: '1 of 2 failed' })
    await temporal.connection.close()
    expect((await readLog(gatehouse, kept)).batchId).toBe(silent)
    expect((await readLog(gatehouse, recovered)).batchId).not.toBe(gone)
    const worker = await gatehouse.startWorker()
    await reconcile(gatehouse)
    for (const id of [kept, recovered]) expect((await settledLog(gatehouse, id)).status).toBe('completed')
    await worker.stop()
  })

  test('delivers a log once if two passes run concurrently', async () => {
    const worker = await gatehouse.startWorker()
    const id = await committedLog()
    await Promise.all([reconcile(gatehouse), reconcile(gatehouse)])
    await settledLog(gatehouse, id)
    const eventId = JSON.parse((await readLog(gatehouse, id)).payload).data.attributes.event_id
    expect(receiver.received.filter(({ attributes }) => attributes.event_id === eventId)).toHaveLength(1)
    await worker.stop()
  })

  test('does not repeat an attempt that was recorded before the crash, and makes the next one', async () => {
    const id = await committedLog()
    await gatehouse.db.orm.insert(webhookAttempts).values({
      webhookLogId: id,
      round: 1,
      number: 1,
      url: receiver.url,
      statusCode: 500,
      error: 'HTTP status 500',
      durationMs: 5,
      createdAt: new Date(Date.now() - 5_000),
    })
    await gatehouse.db.orm.update(webhookLogs).set({ status: 'processing' }).where(eq(webhookLogs.id, id))
    const batchId = newId()
    await claim(id, batchId)
    const worker = await gatehouse.startWorker()
    await startBatch(gatehouse, batchId, [id])
    const log = await settledLog(gatehouse, id)
    expect([log.status, log.retries]).toEqual(['completed', 1])
    const attempts = await attemptsOf(gatehouse, id)
    expect(attempts.map(({ number }) => number)).toEqual([1, 2])
    // At least ten seconds pass after the first attempt, regardless of the start of the worker.
    const [first = 0, second = 0] = attempts.map(({ createdAt }) => createdAt.getTime())
    expect(second - first).toBeGreaterThan(9_900)
    await worker.stop()
  })

  test('continues a delivery in another worker if the first one is killed before the retry', async () => {
    // The header leaves the test time to kill the worker before the second attempt.
    const failing = await startReceiver((res, nth) =>
      res.writeHead(nth < 2 ? 503 : 200, nth === 0 ? { 'Retry-After': '28' } : {}).end(),
    )
    await deliverTo(gatehouse, failing.url)
    const first = await gatehouse.spawnWorker()
    const batchId = newId()
    const id = await committedLog(batchId)
    await startBatch(gatehouse, batchId, [id])
    await eventually(async () => expect(await attemptsOf(gatehouse, id)).toHaveLength(1))
    first.kill('SIGKILL')
    const second = await gatehouse.startWorker()
    const log = await settledLog(gatehouse, id)
    expect([log.status, log.retries]).toEqual(['completed', 2])
    expect((await attemptsOf(gatehouse, id)).map(({ number }) => number)).toEqual([1, 2, 3])
    expect(failing.received).toHaveLength(3)
    await second.stop()
    await failing.stop()
    await deliverTo(gatehouse, receiver.url)
  })

  test('retries gathered deliveries on time if their worker is killed before it starts their workflow', async () => {
    const refusing = await startReceiver((res, nth) => res.writeHead(nth < 3 ? 500 : 200).end())
    await gatehouse.api.put('/users/update_webhook', { webhook_url: { ticket: [refusing.url] } })
    // Without Temporal, the worker can neither start the workflow nor make further attempts.
    const proxy = await startProxy(`tcp://${gatehouse.config.TEMPORAL_ADDRESS}`)
    const first = await gatehouse.spawnWorker('src/worker.ts', { TEMPORAL_ADDRESS: new URL(proxy.url).host })
    proxy.stall()
    const ids = await publish(await gatehouse.operator(), gatehouse.vaultId, 'ticket', 3)
    await eventually(async () => {
      for (const id of ids) expect(await attemptsOf(gatehouse, id)).toHaveLength(1)
    })
    first.kill('SIGKILL')
    const { batchId } = await readLog(gatehouse, ids[0] ?? '')
    const workflow = gatehouse.temporal.workflow.getHandle(`webhook-deliveries-${batchId}`)
    await expect(workflow.describe()).rejects.toThrow(WorkflowNotFoundError)
    const second = await gatehouse.startWorker()
    // The batch is old enough for recovery after ten seconds.
    await eventually(async () => {
      await reconcile(gatehouse)
      for (const id of ids) expect(await readLog(gatehouse, id)).toMatchObject({ status: 'completed' })
    })
    for (const id of ids)
      expect((await attemptsOf(gatehouse, id)).map(({ number }) => number)).toEqual([1, 2])
    expect(refusing.received).toHaveLength(6)
    await second.stop()
    await proxy.stop()
    await refusing.stop()
  })

  test('starts the missing workflow of an entity', async () => {
    const worker = await gatehouse.startWorker()
    const id = await gatehouse.api.createKyb()
    await eventually(() => gatehouse.temporal.workflow.getHandle(`kyb-${id}`).describe())
    const old = { workflowStartedAt: null, createdAt: new Date(Date.now() - 11_000) }
    for (const table of [kybApplications, identifications]) await gatehouse.db.orm.update(table).set(old)
    await reconcile(gatehouse)
    await eventually(async () => {
      const [row] = await gatehouse.db.orm.select().from(kybApplications).where(eq(kybApplications.id, id))
      expect(row?.workflowStartedAt).not.toBeNull()
    })
    await worker.stop()
  })
})
