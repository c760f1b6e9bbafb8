/**
 * Sends the queues of URLs. Logs of a queue start in order, at most at the maximum rate of the URL. A log that is older
 * than the URL's resumption also waits for the response to the one before it, or for a second.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/connection/database.ts'
import { MAX_TAKEN, reclaimQueues, type TakenLog, takeQueuedLogs } from '../db/webhooks/queue.ts'
import { continueResends } from '../db/webhooks/resend.ts'
import type { AttemptInProgress } from './attempt-register.ts'
import type { Leases } from './leases.ts'

/** How long a log waits for the response to the one before it. */
const PATIENCE_MS = 1_000
/** The minimum interval between two searches for logs that stopped processes had taken. */
const RECLAIM_MS = 2_000
/** The minimum interval between two steps of resending. */
const RESEND_MS = 200
const MAX_LIMITED = 10_000

interface UrlQueuesOptions {
  readonly db: Database
  readonly leases: Leases
  /** Starts the attempt of a log once its turn has come. */
  readonly start: (log: TakenLog, turn: Promise<unknown>) => AttemptInProgress
  /** Called when a queue may have more logs to send. */
  readonly onReady: () => void
}

interface UrlQueues {
  /** Takes the next logs of all queues for the batch, and starts their attempts in order. */
  take(batchId: string, limit: number): Promise<readonly { id: string; ended: AttemptInProgress['ended'] }[]>
  /** Ends the waits of all logs that were taken. */
  stop(): void
}

export function createUrlQueues({ db, leases, start, onReady }: UrlQueuesOptions): UrlQueues {
  /** The URLs whose logs this process is sending. */
  const busy = new Set<string>()
  /** When the newest request of each URL with a maximum rate started. A late start must not be followed by a burst. */
  const startedAt = new LRUCache<string, number>({ max: MAX_LIMITED })
  const stopping = new AbortController()
  let reclaimedAt = 0
  let resentAt = 0

  const wait = (ms: number) =>
    sleep(Math.max(0, ms), undefined, { signal: stopping.signal, ref: false }).catch(() => {})

  async function waitForTurn({ urlId, dueInMs, spacingMs }: TakenLog, takenAt: number): Promise<void> {
    const spacedAt = (startedAt.get(urlId) ?? 0) + spacingMs
    await wait(Math.max(takenAt + dueInMs, spacedAt) - performance.now())
    if (spacingMs > 0) startedAt.set(urlId, performance.now())
  }

  /** Starts the logs of one queue, and reports when the next ones may be taken. */
  function run(urlId: string, logs: readonly TakenLog[]) {
    const takenAt = performance.now()
    let turn: Promise<unknown> = Promise.resolve()
    const started = logs.map((log) => {
      const own = turn.then(() => waitForTurn(log, takenAt))
      const { ended } = start(log, own)
      const answered = Promise.race([ended.catch(() => {}), own.then(() => wait(PATIENCE_MS))])
      turn = log.isInOrder ? answered : own
      return { id: log.id, ended, answered, isLimited: log.spacingMs > 0 }
    })
    const unlimited = started.filter(({ isLimited }) => !isLimited).map(({ answered }) => answered)
    busy.add(urlId)
    void Promise.all([turn, ...unlimited]).then(() => {
      busy.delete(urlId)
      onReady()
    })
    return started
  }

  return {
    async take(batchId, limit) {
      if (limit < MAX_TAKEN) return []
      const lease = await leases.getCurrent()
      if (performance.now() > reclaimedAt + RECLAIM_MS) {
        reclaimedAt = performance.now()
        await reclaimQueues(db, lease.id)
      }
      if (performance.now() > resentAt + RESEND_MS) {
        resentAt = performance.now()
        const inMs = await continueResends(db)
        if (inMs !== null) setTimeout(onReady, Math.max(RESEND_MS, inMs)).unref()
      }
      const logs = await takeQueuedLogs(db, { batchId, leaseId: lease.id, limit, excludedUrls: [...busy] })
      const urlIds = [...new Set(logs.map(({ urlId }) => urlId))]
      return urlIds.flatMap((urlId) =>
        run(
          urlId,
          logs.filter((log) => log.urlId === urlId),
        ),
      )
    },
    stop: () => stopping.abort(),
  }
}
