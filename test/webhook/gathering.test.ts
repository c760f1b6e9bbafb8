/** Tests that the workflow of a batch, if there is one, knows each log of the batch. */
import { Client, type WorkflowClientInterceptor } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import { eq } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { webhookLogs } from '../../drizzle/schema.ts'
import { transaction } from '../../src/db/connection/database.ts'
import { claimNewLogs } from '../../src/db/webhooks/new-log-claim.ts'
import { insertWebhookLogs } from '../../src/db/webhooks/outbox.ts'
import { createLogger } from '../../src/process/log.ts'
import { MAX_BATCH } from '../../src/temporal/webhook-deliveries.ts'
import type { Deliverer } from '../../src/webhooks/deliverer.ts'
import { createDispatcher } from '../../src/webhooks/dispatcher.ts'
import { eventually, type OwnInstance, startInstance } from '../support/instance.ts'
import { causeEvent, creationEvent, deliverTo, readLog, readLogs, startBatch } from '../support/webhook.ts'

describe('gathering', () => {
  let gatehouse: OwnInstance
  let connection: NativeConnection
  beforeAll(async () => {
    gatehouse = await startInstance()
    connection = await NativeConnection.connect({ address: gatehouse.config.TEMPORAL_ADDRESS })
    await deliverTo(gatehouse, 'http://127.0.0.1:9/')
  })
  afterAll(async () => {
    await connection.close()
    await gatehouse.stop()
  })

  /** Creates a dispatcher whose attempts never end. `after` runs between a claim and its result. */
  function newDispatcher(
    after: (batchId: string, nth: number) => Promise<void>,
    interceptor: WorkflowClientInterceptor = {},
  ) {
    const { db, config } = gatehouse
    const interceptors = { workflow: [interceptor] }
    const temporal = new Client({ connection, namespace: gatehouse.name, interceptors })
    let nth = 0
    const deliverer: Pick<Deliverer, 'claim' | 'onQueueReady'> = {
      onQueueReady() {},
      async claim(batchId, limit) {
        const claim = { batchId, leaseId: newId(), limit, excludedVaults: [], afterVault: null }
        const { attempts, hasMore } = await claimNewLogs(db, claim)
        if (attempts.length > 0) await after(batchId, ++nth)
        return { started: attempts.map(({ id }) => ({ id, ended: new Promise(() => {}) })), hasMore }
      },
    }
    const log = createLogger(config.LOG_LEVEL, 'test')
    return createDispatcher({ db, temporal, deliverer: deliverer as Deliverer, log })
  }

  const batchOf = async (id: string) => (await readLog(gatehouse, id)).batchId ?? ''
  /** Returns the logs passed to the workflow of a batch, or null if it has no workflow. */
  async function readBatchLogs(batchId: string): Promise<string[] | null> {
    const handle = gatehouse.temporal.workflow.getHandle(`webhook-deliveries-${batchId}`)
    const history = await handle.fetchHistory().catch(() => null)
    const start = history?.events?.[0]?.workflowExecutionStartedEventAttributes
    const data = start?.input?.payloads?.[0]?.data
    return data ? JSON.parse(Buffer.from(data).toString()).webhookLogIds : null
  }

  test('moves a log to a new batch if another process has started its batch without it', async () => {
    let batchId = ''
    const dispatcher = newDispatcher(async (id, nth) => {
      batchId = id
      if (nth === 1) await startBatch(gatehouse, id, [first.id])
    })
    const first = await causeEvent(gatehouse)
    dispatcher.wake()
    await eventually(async () => expect(await readBatchLogs(batchId)).toEqual([first.id]))
    const second = await causeEvent(gatehouse)
    dispatcher.wake()
    await eventually(async () => {
      for (const { id } of [first, second]) expect(await readBatchLogs(await batchOf(id))).toContain(id)
      expect(await batchOf(first.id)).not.toBe(batchId)
    })
    await dispatcher.idle()
  })

  test('keeps the logs of a large batch if the response to its start was lost, because the workflow has them all', async () => {
    const { db, vaultId } = gatehouse
    // A smaller batch would be merged with others after a failed start.
    const events = Array.from({ length: MAX_BATCH / 2 }, () => creationEvent())
    const ids = await insertWebhookLogs(db, vaultId, events)
    let batchId = ''
    let starts = 0
    const dispatcher = newDispatcher(
      async (id) => {
        batchId = id
      },
      {
        async start(input, next) {
          starts += 1
          const runId = await next(input)
          if (starts === 1) throw new Error('the answer was lost')
          return runId
        },
      },
    )
    dispatcher.wake()
    await eventually(() => expect(starts).toBeGreaterThan(1))
    await dispatcher.idle()
    expect(new Set((await readLogs(gatehouse, ids)).map((log) => log.batchId))).toEqual(new Set([batchId]))
    expect((await readBatchLogs(batchId))?.sort()).toEqual([...ids].sort())
    expect(starts).toBe(2)
  })

  test('claims locked logs after their release without a notification, before it closes the batch', async () => {
    const [locked, other] = [await causeEvent(gatehouse), await causeEvent(gatehouse)]
    let claimed = () => {}
    const isClaimed = new Promise<void>((resolve) => (claimed = resolve))
    const dispatcher = newDispatcher(async () => claimed())
    await transaction(gatehouse.db, async (tx) => {
      await tx.orm.select().from(webhookLogs).where(eq(webhookLogs.id, locked.id)).for('update')
      dispatcher.wake()
      await isClaimed
    })
    await eventually(async () => {
      for (const { id } of [locked, other]) expect(await readBatchLogs(await batchOf(id))).toContain(id)
    })
    await dispatcher.idle()
  })

  test('leaves logs in a batch without a workflow if the response to their claim was lost', async () => {
    let batchId = ''
    let unknownId = ''
    const dispatcher = newDispatcher(async (id, nth) => {
      if (nth === 2) throw new Error('the answer was lost')
      if (nth !== 1) return
      batchId = id
      // This runs within the first claim, so that the second claim follows before the batch is closed.
      unknownId = (await causeEvent(gatehouse)).id
      dispatcher.wake()
    })
    const known = await causeEvent(gatehouse)
    dispatcher.wake()
    await eventually(async () => expect(await readBatchLogs(await batchOf(known.id))).toContain(known.id))
    expect(await batchOf(known.id)).not.toBe(batchId)
    expect(await batchOf(unknownId)).toBe(batchId)
    expect(await readBatchLogs(batchId)).toBeNull()
    await dispatcher.idle()
  })
})
