/**
 * Claims new webhook logs, which starts their first attempts, and gathers the logs in batches.
 * A loop runs while there may be logs to claim or a batch is open. The first claim opens a batch. Later claims add logs
 * to the batch until it is full or `GATHER_MS` have passed, because one workflow costs as much as many deliveries. A
 * batch is closed only between two claims, so that its workflow gets the complete list of logs. If the process dies,
 * housekeeping finds the logs of the open batch.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { v7 as newId } from 'uuid'
import type { Database } from '../db/connection/database.ts'
import { type Logger, throttled } from '../process/log.ts'
import { MAX_BATCH } from '../temporal/webhook-deliveries.ts'
import { createBatchStarter } from './batch-starter.ts'
import type { Deliverer } from './deliverer.ts'
import type { Notifier } from './notifier.ts'

/**
 * How long a batch gathers logs. A first run that starts after this time still ends before the first retries are due,
 * ten seconds after the attempts.
 */
const GATHER_MS = 5_500
/** The pause after a claim grows with the number of claimed logs, so that claims are few and large under load. */
const MIN_CLAIM_PAUSE_MS = 8
const MAX_CLAIM_PAUSE_MS = 25
const FAILURE_PAUSE_MS = 1_000

export interface Dispatcher extends Pick<Notifier, 'notify' | 'idle'> {
  /** Claims new logs in the background, whichever process wrote them. */
  wake(): void
  /** Resolves when the workflow of each batch has started or the batch is left to housekeeping. */
  idle(): Promise<void>
}

interface DispatcherOptions {
  readonly db: Database
  /** The client to use. With the workers' connection, Temporal returns the first workflow task with the start. */
  readonly temporal: Client
  readonly deliverer: Deliverer
  readonly log: Logger
}

interface OpenBatch {
  readonly id: string
  readonly webhookLogIds: string[]
  readonly closesAt: number
}

interface State {
  /** Whether there may be logs to claim. */
  isWoken: boolean
  openBatch: OpenBatch | null
  running: Promise<void> | null
  onWake: () => void
}

export function createDispatcher({ db, temporal, deliverer, log }: DispatcherOptions): Dispatcher {
  const state: State = { isWoken: false, openBatch: null, running: null, onWake: () => {} }
  const stopping = new AbortController()
  const starter = createBatchStarter({ db, temporal, log, stopping: stopping.signal })
  const warn = throttled((err) => log.warn({ err }, 'webhook logs were not claimed'))

  async function run(): Promise<void> {
    while (!stopping.signal.aborted && (state.isWoken || state.openBatch)) {
      try {
        await waitForWake(state.openBatch?.closesAt ?? 0)
        if (state.isWoken) await sleep(pauseAfter(await claim()))
        if (state.openBatch && performance.now() >= state.openBatch.closesAt) {
          // Claims once more, because earlier claims skipped locked logs, for which no notification follows.
          await claim()
          closeBatch()
        }
      } catch (err) {
        warn(err)
        // If only the response was lost, the claim has added unknown logs to the batch. They remain there, and
        // housekeeping finds them. The known logs move to a new batch.
        closeBatch({ isListComplete: false })
        state.isWoken = true
        await sleep(FAILURE_PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
    state.running = null
  }

  /** Waits until the dispatcher is woken, or until `time` at the latest. */
  async function waitForWake(time: number): Promise<void> {
    if (state.isWoken) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, time - performance.now()))
      state.onWake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Claims logs for the open batch, and returns their number. */
  async function claim(): Promise<number> {
    state.isWoken = false
    state.openBatch ??= { id: newId(), webhookLogIds: [], closesAt: performance.now() + GATHER_MS }
    const { id: batchId, webhookLogIds } = state.openBatch
    const { started, hasMore } = await deliverer.claim(batchId, MAX_BATCH - webhookLogIds.length)
    for (const { id, ended } of started) {
      webhookLogIds.push(id)
      starter.addLog(id, ended)
    }
    if (webhookLogIds.length >= MAX_BATCH) closeBatch()
    state.isWoken ||= hasMore
    return started.length
  }

  /** Returns the pause. If a claim finds no logs although some are pending, their vaults have reached their limits. */
  function pauseAfter(count: number): number {
    if (count === 0 && state.isWoken) return MAX_CLAIM_PAUSE_MS
    return Math.min(Math.max(MIN_CLAIM_PAUSE_MS, count), MAX_CLAIM_PAUSE_MS)
  }

  function closeBatch({ isListComplete = true } = {}): void {
    const batch = state.openBatch
    state.openBatch = null
    if (batch) starter.addBatch(isListComplete ? batch.id : null, batch.webhookLogIds)
  }

  function wake(): void {
    state.isWoken = true
    state.onWake()
    state.running ??= run()
  }

  deliverer.onQueueReady(wake)
  return {
    wake,
    notify(ids) {
      if (ids.length > 0) wake()
    },
    async idle() {
      stopping.abort()
      state.onWake()
      await state.running
      closeBatch()
      await starter.finish()
    },
  }
}
