/**
 * Claims the webhook logs that wait, whereupon their first attempts begin, and starts the workflows that see them
 * through, many at a time. What it does not get to, because the process dies, housekeeping finds.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { v7 as newId } from 'uuid'
import type { Database } from '../db/connection/database.ts'
import { moveLogs } from '../db/webhooks/outbox.ts'
import { type Logger, throttled } from '../process/log.ts'
import { MAX_BATCH, startBatch } from '../temporal/webhook-deliveries.ts'
import type { Deliverer } from './deliverer.ts'
import type { Notifier } from './notifier.ts'

/** A workflow costs as much as many deliveries: what is claimed within this time shares one. */
const GATHER_MS = 2_000
/** The next claim waits, the longer the more the last one found, so that under load few large ones are made. */
const MIN_CLAIM_PAUSE_MS = 8
const MAX_CLAIM_PAUSE_MS = 25
const PAUSE_MS = 1_000
/** While Temporal is away. */
const MAX_START_PAUSE_MS = 15_000
/** Beyond this, what waits for Temporal is left to housekeeping. */
const MAX_WAITING = 20_000

export interface Dispatcher extends Pick<Notifier, 'tell' | 'idle'> {
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
  /** Null where its workflow would not be told of all that is in it: these logs go to one of their own. */
  id: string | null
  readonly webhookLogIds: readonly string[]
  /** Whether this process may have started its workflow: a start whose answer was lost may have been made. */
  tried: boolean
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, temporal, deliverer, log } = options
  const sayClaim = throttled((err) => log.warn({ err }, 'logs were not claimed'))
  const sayStart = throttled((err) => log.warn({ err, batches: waiting.length }, 'a batch was not started'))
  const sayAttempt = throttled((err) =>
    log.warn({ err }, 'first attempts failed on our side: the workflow repeats them'),
  )
  let running: Promise<void> | null = null
  let woken = false
  const stopping = new AbortController()
  let gathering: { id: string; webhookLogIds: string[]; until: number } | null = null
  let onWake = () => {}
  /** Batches whose workflow is to be started. */
  let waiting: Batch[] = []
  let starting: Promise<void> | null = null
  /** Of the logs in those: the ones whose delivery has not ended. */
  const unfinished = new Set<string>()

  /** Ends early when it is to stop. */
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})

  async function run(): Promise<void> {
    while (!stopping.signal.aborted && (woken || gathering)) {
      if (!woken) await wokenWithin((gathering?.until ?? 0) - performance.now())
      try {
        if (woken) {
          await sleep(pauseAfter(await claim()))
        }
        if (gathering && performance.now() >= gathering.until) {
          // Once more: what somebody kept locked was passed by, and nobody tells of it again.
          await claim()
          if (gathering) close(gathering.id)
        }
      } catch (err) {
        sayClaim(err)
        // What was claimed all the same, its answer lost, is left alone in its batch, which housekeeping finds.
        if (gathering) close(null)
        woken = true
        await pause(PAUSE_MS)
      }
    }
    running = null
  }

  /** Those that wait while nothing was claimed are of vaults that have their share under way. */
  const pauseAfter = (count: number) =>
    count === 0 && woken
      ? MAX_CLAIM_PAUSE_MS
      : Math.min(Math.max(MIN_CLAIM_PAUSE_MS, count), MAX_CLAIM_PAUSE_MS)

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
    gathering ??= { id: newId(), webhookLogIds: [], until: performance.now() + GATHER_MS }
    const { id: batchId, webhookLogIds } = gathering
    const { begun, more } = await deliverer.claim(batchId, MAX_BATCH - webhookLogIds.length)
    for (const { id, ended } of begun) {
      webhookLogIds.push(id)
      unfinished.add(id)
      ended.then(({ is }) => is === 'final' && unfinished.delete(id), sayAttempt)
    }
    if (webhookLogIds.length >= MAX_BATCH) close(batchId)
    woken ||= more
    return begun.length
  }

  function close(id: string | null): void {
    const webhookLogIds = gathering?.webhookLogIds ?? []
    gathering = null
    if (webhookLogIds.length === 0) return
    waiting.push({ id, webhookLogIds, tried: false })
    starting ??= startWaiting()
  }

  /** While Temporal is away, first attempts go on, and what they leave waits here. */
  async function startWaiting(): Promise<void> {
    let pauseMs = PAUSE_MS
    for (let batch = waiting[0]; batch; batch = waiting[0]) {
      try {
        if (await isStarted(batch)) {
          for (const id of batch.webhookLogIds) unfinished.delete(id)
          waiting.shift()
        } else waiting[0] = await moveToNew(batch.webhookLogIds)
        pauseMs = PAUSE_MS
      } catch (err) {
        sayStart(err)
        await pause(pauseMs)
        if (stopping.signal.aborted) break
        pauseMs = Math.min(2 * pauseMs, MAX_START_PAUSE_MS)
        await merge().catch(sayStart)
      }
    }
    starting = null
  }

  /** False where its workflow may know of fewer logs: somebody else has started it, or it has a log that nobody knows of. */
  async function isStarted(batch: Batch): Promise<boolean> {
    const { id, webhookLogIds, tried } = batch
    if (webhookLogIds.length === 0) return true
    if (id === null) return false
    batch.tried = true
    try {
      await startBatch(temporal, id, webhookLogIds)
      return true
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      if (!tried) batch.id = null
      return tried
    }
  }

  /** A batch of its own for those of the logs that are unfinished; the others need no workflow any more. */
  async function moveToNew(ids: readonly string[]): Promise<Batch> {
    const id = newId()
    const webhookLogIds = await moveLogs(db, ids, id)
    const moved = new Set(webhookLogIds)
    for (const each of ids) if (!moved.has(each)) unfinished.delete(each)
    return { id, webhookLogIds, tried: false }
  }

  /** What has ended needs no workflow, and what is left of many batches shares few: Temporal may be away for long. */
  async function merge(): Promise<void> {
    const left = waiting.map(({ id, webhookLogIds, tried }) => ({
      id,
      tried,
      webhookLogIds: webhookLogIds.filter((each) => unfinished.has(each)),
    }))
    const isSmall = ({ webhookLogIds }: Batch) => webhookLogIds.length < MAX_BATCH / 2
    const small = left.filter(isSmall).flatMap(({ webhookLogIds }) => webhookLogIds)
    const merged: Batch[] = []
    // A start that failed may have been made all the same, without those that come to its batch now.
    for (let n = 0; n < small.length; n += MAX_BATCH) {
      merged.push(await moveToNew(small.slice(n, n + MAX_BATCH)))
    }
    // Batches that were closed meanwhile are behind those that were looked at.
    waiting = [...left.filter((batch) => !isSmall(batch)), ...merged, ...waiting.slice(left.length)].filter(
      ({ webhookLogIds }) => webhookLogIds.length > 0,
    )
    for (let count = unfinished.size; count > MAX_WAITING; ) {
      const forgotten = waiting.pop()?.webhookLogIds ?? []
      for (const id of forgotten) unfinished.delete(id)
      count = forgotten.length > 0 ? unfinished.size : 0
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
      stopping.abort()
      onWake()
      await running
      if (gathering) close(gathering.id)
      await starting
    },
  }
}
