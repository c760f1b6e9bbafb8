/**
 * Starts the workflows of closed batches, one at a time.
 * The workflow of a batch must know all of the batch's logs. If this is not certain, the unfinished logs move to a new
 * batch. While Temporal is unavailable, batches wait here, and the pause between two attempts to start them grows. In
 * each pause, delivered logs leave their batches, and small batches are merged. Housekeeping finds the logs of batches
 * that are dropped here or that are lost when the process dies.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { v7 as newId } from 'uuid'
import type { Database } from '../db/connection/database.ts'
import { moveToBatch } from '../db/webhooks/batch.ts'
import { type Logger, throttled } from '../process/log.ts'
import { MAX_BATCH, startBatch } from '../temporal/webhook-deliveries.ts'

/** The pause after the first failure. Each further failure doubles it, up to the maximum. */
const MIN_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 15_000
/** The maximum number of unfinished logs. Batches beyond it are left to housekeeping. */
const MAX_UNFINISHED = 20_000

interface Batch {
  /** The ID of the batch. Null if no workflow with its ID can know all logs, so that they must move to a new batch. */
  id: string | null
  readonly webhookLogIds: readonly string[]
  /** Whether this process may have started the workflow. A start may have succeeded even if its response was lost. */
  isStartTried: boolean
}

interface State {
  waiting: Batch[]
  /** The logs in open and waiting batches that are not delivered yet. */
  readonly unfinished: Set<string>
  running: Promise<void> | null
}

interface BatchStarter {
  /** Adds a log of the open batch. If the log is delivered before the batch is closed, it needs no workflow. */
  addLog(id: string, ended: Promise<{ readonly is: string }>): void
  /** Starts the workflow of a batch. If `id` is null, moves the unfinished logs to a new batch first. */
  addBatch(id: string | null, webhookLogIds: readonly string[]): void
  /** Resolves when no batch is waiting or, once `stopping` is aborted, after the next failure. */
  finish(): Promise<void>
}

interface StarterOptions {
  readonly db: Database
  readonly temporal: Client
  readonly log: Logger
  readonly stopping: AbortSignal
}

export function createBatchStarter({ db, temporal, log, stopping }: StarterOptions): BatchStarter {
  const state: State = { waiting: [], unfinished: new Set(), running: null }
  const warnOfStart = throttled((err) =>
    log.warn({ err, batches: state.waiting.length }, 'delivery batch was not started'),
  )
  const warnOfAttempt = throttled((err) =>
    log.warn({ err }, 'first attempts failed in Gatehouse; the workflow will repeat them'),
  )

  async function startWaiting(): Promise<void> {
    let pauseMs = MIN_PAUSE_MS
    for (let batch = state.waiting[0]; batch; batch = state.waiting[0]) {
      try {
        if (await isStarted(batch)) {
          state.waiting.shift()
          forget(batch.webhookLogIds)
        } else state.waiting[0] = await moveToNewBatch(batch.webhookLogIds)
        pauseMs = MIN_PAUSE_MS
      } catch (err) {
        warnOfStart(err)
        await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {})
        if (stopping.aborted) break
        pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
        await shrink().catch(warnOfStart)
      }
    }
    state.running = null
  }

  /** Starts the workflow. Returns false if the workflow may not know all logs of the batch. */
  async function isStarted(batch: Batch): Promise<boolean> {
    const { id, webhookLogIds, isStartTried } = batch
    if (webhookLogIds.length === 0) return true
    if (id === null) return false
    batch.isStartTried = true
    try {
      await startBatch(temporal, id, webhookLogIds)
      return true
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      // If this process has not tried to start the workflow, another process has started it with other logs.
      if (!isStartTried) batch.id = null
      return isStartTried
    }
  }

  async function moveToNewBatch(ids: readonly string[]): Promise<Batch> {
    const id = newId()
    const moved = new Set(await moveToBatch(db, ids, id))
    forget(ids.filter((each) => !moved.has(each)))
    return { id, webhookLogIds: [...moved], isStartTried: false }
  }

  /** Removes delivered logs from the waiting batches, merges small batches, and drops batches beyond the limit. */
  async function shrink(): Promise<void> {
    const checked = state.waiting.map((batch) => ({
      ...batch,
      webhookLogIds: batch.webhookLogIds.filter((id) => state.unfinished.has(id)),
    }))
    const isSmall = ({ webhookLogIds }: Batch) => webhookLogIds.length < MAX_BATCH / 2
    const small = checked.filter(isSmall).flatMap(({ webhookLogIds }) => webhookLogIds)
    const merged: Batch[] = []
    // Merges logs only into new batches, because the start of a small batch may have succeeded. The workflow of that
    // batch knows only its own logs.
    for (let n = 0; n < small.length; n += MAX_BATCH)
      merged.push(await moveToNewBatch(small.slice(n, n + MAX_BATCH)))
    // Keeps the batches that were added in the meantime.
    const added = state.waiting.slice(checked.length)
    state.waiting = [...checked.filter((batch) => !isSmall(batch)), ...merged, ...added].filter(
      ({ webhookLogIds }) => webhookLogIds.length > 0,
    )
    dropExcess()
  }

  function dropExcess(): void {
    while (state.unfinished.size > MAX_UNFINISHED) {
      const dropped = state.waiting.pop()
      if (!dropped) return
      forget(dropped.webhookLogIds)
    }
  }

  function forget(ids: readonly string[]): void {
    for (const id of ids) state.unfinished.delete(id)
  }

  return {
    addLog(id, ended) {
      state.unfinished.add(id)
      ended.then(({ is }) => is === 'final' && state.unfinished.delete(id), warnOfAttempt)
    },
    addBatch(id, webhookLogIds) {
      if (webhookLogIds.length === 0) return
      state.waiting.push({ id, webhookLogIds, isStartTried: false })
      state.running ??= startWaiting()
    },
    async finish() {
      await state.running
    },
  }
}
