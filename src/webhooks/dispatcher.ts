/**
 * Claims the webhook logs that wait and starts the workflows that deliver them, many at a time. What it does
 * not get to, because the process dies, the reconciler finds (design, section 3.2).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { v7 as newId } from 'uuid'
import type { Database } from '../db/database.ts'
import { claimWebhookLogs } from '../db/webhook-outbox.ts'
import type { Logger } from '../log.ts'
import { TASK_QUEUES } from '../temporal/client.ts'

const MAX_BATCH = 500
/** A batch costs as much as many deliveries, so under load few large ones are started; a lone log never waits. */
const MIN_GATHER_MS = 10
const GATHER_MS_PER_LOG = 5
const MAX_GATHER_MS = 60
const START_DEADLINE_MS = 5_000
const PAUSE_MS = 1_000

export interface Dispatcher {
  /** Tells that logs were committed; returns at once. */
  add(webhookLogIds: readonly string[]): void
  /** Resolves when everything added so far was handed over or left to the reconciler. */
  idle(): Promise<void>
}

interface DispatcherOptions {
  readonly db: Database
  /** Its connection should be the workers': then the first workflow task comes with the start. */
  readonly temporal: Client
  readonly log: Logger
}

export function createDispatcher({ db, temporal, log }: DispatcherOptions): Dispatcher & { wake(): void } {
  let running: Promise<void> | null = null
  let woken = false
  let stopping = false

  async function drain(): Promise<void> {
    while (woken && !stopping) {
      woken = false
      try {
        const batchId = newId()
        const ids = await claimWebhookLogs(db, batchId, MAX_BATCH)
        if (ids.length === 0) continue
        if (ids.length === MAX_BATCH) woken = true
        await startPersistently(batchId, ids)
        await sleep(Math.min(Math.max(MIN_GATHER_MS, (ids.length - 1) * GATHER_MS_PER_LOG), MAX_GATHER_MS))
      } catch (err) {
        log.warn({ err }, 'logs were not claimed: the reconciler will')
      }
    }
    running = null
  }

  /** While Temporal is away, what is claimed waits here and what comes waits in the table. */
  async function startPersistently(batchId: string, ids: readonly string[]): Promise<void> {
    while (!stopping) {
      try {
        return await startBatch(temporal, batchId, ids)
      } catch (err) {
        if (err instanceof WorkflowExecutionAlreadyStartedError) return
        log.warn({ err, count: ids.length }, 'a batch was not started')
        await sleep(PAUSE_MS)
      }
    }
  }

  const wake = () => {
    woken = true
    running ??= drain()
  }
  return {
    wake,
    add(ids) {
      if (ids.length > 0) wake()
    },
    async idle() {
      stopping = true
      await running
    },
  }
}

export const batchWorkflowId = (batchId: string): string => `webhook-deliveries-${batchId}`

/** The workflow id is the lock: a batch runs once, and again only after it failed. */
export async function startBatch(temporal: Client, batchId: string, webhookLogIds: readonly string[]) {
  await temporal.withDeadline(Date.now() + START_DEADLINE_MS, () =>
    temporal.workflow.start('webhookDeliveries', {
      workflowId: batchWorkflowId(batchId),
      taskQueue: TASK_QUEUES.deliveries,
      args: [{ webhookLogIds, slowTaskQueue: TASK_QUEUES.slowDeliveries }],
      requestEagerStart: true,
      // A worker that died with a task is noticed after this time.
      workflowTaskTimeout: '5 seconds',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      staticSummary: `${webhookLogIds.length} webhook deliveries`,
    }),
  )
}
