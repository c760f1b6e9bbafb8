/**
 * Claims the webhook logs that wait, begins their first attempts, and starts the workflows that see them through,
 * many at a time. What it does not get to, because the process dies, housekeeping finds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { v7 as newId } from 'uuid'
import type { Database } from '../db/database.ts'
import { claimWebhookLogs } from '../db/webhook-outbox.ts'
import type { Logger } from '../log.ts'
import { startBatch } from '../temporal/webhook-deliveries.ts'
import type { Deliverer } from './deliverer.ts'
import type { Notifier } from './notifier.ts'

const MAX_BATCH = 500
/** A workflow costs as much as many deliveries: what is claimed within this time shares one. */
const GATHER_MS = 100
/** The next claim waits, the longer the more the last one found, so that under load few large ones are made. */
const MIN_CLAIM_PAUSE_MS = 8
const MAX_CLAIM_PAUSE_MS = 25
/** For first attempts that are begun here; what has not begun by then is left to the workflow. */
const PATIENCE_MS = 1_000
/** More logs are not claimed while so many are within that patience. */
const MAX_BEGUN = 5_000
const PAUSE_MS = 1_000

export interface Dispatcher extends Notifier {
  /** Looks for logs that wait, whoever committed them; returns at once. */
  wake(): void
  /** Resolves when everything claimed so far was handed over or left to housekeeping. */
  idle(): Promise<void>
}

interface DispatcherOptions {
  readonly db: Database
  /** Its connection should be the workers': then the first workflow task comes with the start. */
  readonly temporal: Client
  readonly deliverer: Deliverer
  readonly log: Logger
}

interface Batch {
  readonly id: string
  readonly webhookLogIds: string[]
  readonly until: number
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, temporal, deliverer, log } = options
  let running: Promise<void> | null = null
  let woken = false
  let stopping = false
  let gathering: Batch | null = null
  let begun = 0
  let onWake = () => {}
  /** Starts of workflows and first attempts. */
  const underWay = new Set<Promise<void>>()

  async function run(): Promise<void> {
    while (!stopping && (woken || gathering)) {
      if (!woken) await wokenWithin((gathering?.until ?? 0) - Date.now())
      try {
        if (woken) {
          const count = await claim()
          await sleep(Math.min(Math.max(MIN_CLAIM_PAUSE_MS, count), MAX_CLAIM_PAUSE_MS))
        }
        if (gathering && Date.now() >= gathering.until) close()
        while (begun > MAX_BEGUN) await sleep(MAX_CLAIM_PAUSE_MS)
      } catch (err) {
        log.warn({ err }, 'logs were not claimed')
        // What was claimed all the same, its answer lost, belongs to a batch that housekeeping finds.
        close()
        woken = true
        await sleep(PAUSE_MS)
      }
    }
    running = null
  }

  const wokenWithin = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, ms))
      onWake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  /** A batch is closed between claims only: what is claimed for it must be among what its workflow is given. */
  async function claim(): Promise<number> {
    woken = false
    gathering ??= { id: newId(), webhookLogIds: [], until: Date.now() + GATHER_MS }
    const batch = gathering
    const room = MAX_BATCH - batch.webhookLogIds.length
    const ids = await claimWebhookLogs(db, batch.id, room)
    batch.webhookLogIds.push(...ids)
    if (ids.length > 0) {
      const attempts = begin(batch.id, ids).finally(() => underWay.delete(attempts))
      underWay.add(attempts)
    }
    if (ids.length === room) {
      woken = true
      close()
    }
    return ids.length
  }

  async function begin(batchId: string, ids: readonly string[]): Promise<void> {
    begun += ids.length
    await deliverer.attempt(batchId, ids, PATIENCE_MS).catch((err) => {
      log.warn({ err, count: ids.length }, 'first attempts failed on our side: the workflow repeats them')
    })
    begun -= ids.length
  }

  function close(): void {
    const batch = gathering
    gathering = null
    if (!batch || batch.webhookLogIds.length === 0) return
    const start = startPersistently(batch).finally(() => underWay.delete(start))
    underWay.add(start)
  }

  /** While Temporal is away, first attempts go on and what they leave waits here. */
  async function startPersistently({ id, webhookLogIds }: Batch): Promise<void> {
    for (;;) {
      try {
        return await startBatch(temporal, id, webhookLogIds, deliverer.process)
      } catch (err) {
        if (err instanceof WorkflowExecutionAlreadyStartedError) return
        log.warn({ err, count: webhookLogIds.length }, 'a batch was not started')
        if (stopping) return
        await sleep(PAUSE_MS)
      }
    }
  }

  const wake = () => {
    woken = true
    onWake()
    running ??= run()
  }
  return {
    wake,
    tell(ids) {
      if (ids.length > 0) wake()
    },
    async idle() {
      stopping = true
      onWake()
      await running
      close()
      await Promise.all(underWay)
    },
  }
}
