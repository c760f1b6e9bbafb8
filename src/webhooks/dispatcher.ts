/**
 * Hands the webhook logs that this process committed to deliveries workflows, many at a time. What it does
 * not get to, because the process dies, the reconciler finds (design, section 3.2).
 */
import type { Client } from '@temporalio/client'
import { v7 as newId } from 'uuid'
import type { Database } from '../db/database.ts'
import { claimWebhookLogs } from '../db/webhook-log.ts'
import type { Logger } from '../log.ts'
import { TASK_QUEUES } from '../temporal/client.ts'

const MAX_BATCH = 100

export interface Dispatcher {
  /** Returns at once; the ids must be committed. */
  add(webhookLogIds: readonly string[]): void
  /** Resolves when everything added so far was handed over or left to the reconciler. */
  idle(): Promise<void>
}

interface DispatcherOptions {
  readonly db: Database
  readonly temporal: Client
  readonly log: Logger
}

export function createDispatcher({ db, temporal, log }: DispatcherOptions): Dispatcher {
  const waiting: string[] = []
  let running: Promise<void> | null = null

  // What arrives while a batch is being started goes together in the next one.
  const drain = async () => {
    while (waiting.length > 0) {
      const ids = waiting.splice(0, MAX_BATCH)
      try {
        await claimAndStart(db, temporal, ids)
      } catch (err) {
        log.warn({ err, count: ids.length }, 'a batch was not started: the reconciler will')
      }
    }
    running = null
  }
  return {
    add(ids) {
      waiting.push(...ids)
      if (waiting.length > 0) running ??= drain()
    },
    idle: async () => {
      await running
    },
  }
}

/** Gives how many of the logs it claimed: those that nobody else was faster to claim. */
export async function claimAndStart(db: Database, temporal: Client, ids: readonly string[]): Promise<number> {
  const batchId = newId()
  const claimed = await claimWebhookLogs(db, batchId, ids)
  if (claimed.length > 0) await startBatch(temporal, batchId, claimed)
  return claimed.length
}

/** The workflow id is the lock: a batch runs once, and again only after it failed. */
export async function startBatch(temporal: Client, batchId: string, webhookLogIds: readonly string[]) {
  await temporal.workflow.start('webhookDeliveries', {
    workflowId: `webhook-deliveries-${batchId}`,
    taskQueue: TASK_QUEUES.deliveries,
    args: [{ webhookLogIds, slowTaskQueue: TASK_QUEUES.slowDeliveries }],
    // While one delivery waits for its host, timers of the others are set after at most 80 % of this.
    workflowTaskTimeout: '5 seconds',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    staticSummary: `${webhookLogIds.length} webhook deliveries`,
  })
}
