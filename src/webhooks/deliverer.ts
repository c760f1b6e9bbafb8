/**
 * Attempts the webhook logs of batches, with at most one attempt per log at a time.
 * Attempts start in two ways. The dispatcher calls `claim`, which adds new logs to the open batch and immediately
 * starts their first attempts. The workflow of a batch calls `attempt`, which joins the attempts in progress and starts
 * the next attempts of the other logs. Each attempt enters the register before it waits for anything, so that later
 * callers join it. Attempts do not depend on their callers. `attempt` returns after its time limit, but attempts that
 * finish later are still recorded.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/connection/database.ts'
import { markProcessing } from '../db/webhooks/attempt.ts'
import { claimNewLogs } from '../db/webhooks/new-log-claim.ts'
import { claimNextAttempts, type NextAttempt, type WantedLog } from '../db/webhooks/next-attempt-claim.ts'
import { type QueuedUrl, queueDeliveries } from '../db/webhooks/queue.ts'
import type { LogStatus } from '../domain/webhook/events.ts'
import type { Logger } from '../process/log.ts'
import { createMakeAttempt, inProgress } from './attempt.ts'
import { createAttemptRecorder } from './attempt-recorder.ts'
import {
  type AttemptInProgress,
  type AttemptProgress,
  type Caller,
  createAttemptRegister,
  type DeliveryOutcome,
} from './attempt-register.ts'
import type { LookUp } from './dns-lookups.ts'
import type { Egress } from './egress.ts'
import { createGroupCommit } from './group-commit.ts'
import { createHostLimit } from './host-limit.ts'
import type { Lease, Leases } from './leases.ts'
import { createCurrentSigning } from './signing-secrets.ts'
import { createUrlOptions } from './url-options.ts'
import { createUrlQueues } from './url-queues.ts'

/** The maximum number of next attempts that one statement claims. */
const MAX_PER_CLAIM = 500
/** The pause between two checks of a log that another process is attempting. */
const POLL_MS = 300
/** If this many fast attempts are in progress, no new logs are claimed. */
const MAX_FAST = 5_000

interface StartedAttempt {
  readonly id: string
  readonly ended: Promise<{ readonly is: string }>
}

interface AttemptLimits {
  /** The maximum duration of the call. */
  readonly timeoutMs: number
  /** Whether the attempts of the call wait for slow hosts. */
  readonly waitsForSlowHosts: boolean
}

export interface Deliverer {
  /**
   * Claims about `limit` new logs for the batch, in equal shares for each vault, and starts their first attempts.
   * `hasMore` is true if more logs are waiting.
   */
  claim(batchId: string, limit: number): Promise<{ started: readonly StartedAttempt[]; hasMore: boolean }>
  /** Sets the function that is called when a queue may have more logs to claim. */
  onQueueReady(wake: () => void): void
  /**
   * Attempts each log of the batch once, or waits for an attempt in progress in this or another process. Throws if the
   * logs that are still in progress cannot be marked.
   */
  attempt(
    batchId: string,
    ids: readonly string[],
    limits: AttemptLimits,
  ): Promise<Map<string, DeliveryOutcome>>
  /** Cancels requests that wait for a host. Resolves when no attempt is in progress. */
  stop(): Promise<void>
}

interface DelivererOptions {
  readonly db: Database
  readonly egress: Egress
  readonly lookUp: LookUp
  readonly leases: Leases
  readonly log: Logger
  /** Called with the status of each log whose attempt is complete and recorded. */
  readonly onAttempted?: (status: LogStatus) => void
}

export function createDeliverer(options: DelivererOptions): Deliverer {
  const { db, egress, lookUp, leases, log, onAttempted } = options
  const register = createAttemptRegister()
  /** The vault at which the previous claim stopped. */
  let afterVault: string | null = null
  let mode: 'running' | 'stopping' = 'running'
  const isStopping = () => mode === 'stopping'
  const hostLimit = createHostLimit()
  const recorder = createAttemptRecorder({ db, isStopping, onAttempted })
  let onQueueReady = () => {}
  const queue = createGroupCommit(
    async (moved: readonly QueuedUrl[]) => {
      const held = await queueDeliveries(db, moved)
      onQueueReady()
      return moved.map(({ id }) => held.has(id))
    },
    { max: MAX_PER_CLAIM },
  )
  const deps = {
    egress,
    lookUp,
    hostLimit,
    recorder,
    currentSigning: createCurrentSigning(db),
    optionsOf: createUrlOptions(db),
    queue,
    leases,
    isStopping,
    trace: db.span,
    log,
  }
  const makeAttempt = createMakeAttempt(deps)
  /** Claims next attempts. Simultaneous calls share one statement. */
  const claimNext = createGroupCommit(
    (wanted: readonly WantedLog[]) =>
      leases.claim(async (lease) => {
        const found = await claimNextAttempts(db, lease.id, wanted)
        return found.map((next) => ({ next, lease }))
      }),
    { max: MAX_PER_CLAIM },
  )

  async function follow(
    { next, lease }: { readonly next: NextAttempt; readonly lease: Lease },
    progress: AttemptProgress,
    turn?: Promise<unknown>,
  ): AttemptInProgress['ended'] {
    switch (next.is) {
      case 'claimed': {
        const { vaultId } = next.attempt
        if (progress.phase.is === 'claiming') progress.enter({ is: 'queued', vaultId })
        return leases.keepDuring(lease, makeAttempt(next.attempt, lease, progress, turn))
      }
      case 'not_due':
        return { is: 'not_accepted', dueAt: performance.now() + next.dueInMs }
      case 'ended':
        return { is: 'final' }
      case 'held':
        return { is: 'held' }
    }
  }

  const startNext = (log: WantedLog): AttemptInProgress =>
    register.enter(log.id, log.batchId, { is: 'claiming' }, async (progress) =>
      follow(await claimNext(log), progress),
    )

  const queues = createUrlQueues({
    db,
    leases,
    onReady: () => onQueueReady(),
    start: ({ id, vaultId, batchId }, turn) =>
      register.enter(id, batchId, { is: 'queued', vaultId }, async (progress) =>
        follow(await claimNext({ id, batchId }), progress, turn),
      ),
  })

  /**
   * Joins or starts attempts of the log, until one has finished for this batch. Returns null if the caller returns
   * before that.
   */
  async function attemptOne(log: WantedLog, caller: Caller): Promise<DeliveryOutcome | null> {
    while (!caller.hasReturned) {
      const attempt = register.find(log.id) ?? startNext(log)
      attempt.callers.push(caller)
      const outcome = await attempt.ended.catch((error: unknown) => ({ is: 'unknown', error }) as const)
      if (outcome.is === 'held') await sleep(POLL_MS)
      // An outcome for the log's previous batch does not apply to this batch.
      else if (attempt.batchId === log.batchId) return outcome
    }
    return null
  }

  return {
    async claim(batchId, limit) {
      const { fastCount, fullVaults } = register.measureLoad()
      if (fastCount >= MAX_FAST) return { started: [], hasMore: true }
      return leases.claim(async (lease) => {
        const claim = { batchId, leaseId: lease.id, limit, excludedVaults: fullVaults, afterVault }
        const claimed = await claimNewLogs(db, claim)
        afterVault = claimed.afterVault
        const started = claimed.attempts.map((attempt) => {
          const { id, vaultId } = attempt
          const claimed = { next: { is: 'claimed', attempt }, lease } as const
          const first = { is: 'queued', vaultId } as const
          return {
            id,
            ended: register.enter(id, batchId, first, (progress) => follow(claimed, progress)).ended,
          }
        })
        const queued = claimed.hasQueues ? await queues.take(batchId, limit - started.length) : []
        return { started: [...started, ...queued], hasMore: claimed.hasMore || fullVaults.length > 0 }
      })
    },

    onQueueReady(wake) {
      onQueueReady = wake
    },

    async attempt(batchId, ids, { timeoutMs, waitsForSlowHosts }) {
      const caller = { waitsForSlowHosts, hasReturned: false }
      const outcomes = new Map<string, DeliveryOutcome>()
      const attempts = ids.map(async (id) => {
        const outcome = await attemptOne({ id, batchId }, caller)
        if (outcome) outcomes.set(id, outcome)
      })
      await waitAtMost(timeoutMs, Promise.all(attempts))
      caller.hasReturned = true
      const result = new Map(ids.map((id) => [id, outcomes.get(id) ?? inProgress(register.find(id))]))
      const left = [...result].flatMap(([id, { is }]) => (is === 'in_progress' ? [id] : []))
      if (left.length > 0) await markProcessing(db, batchId, left)
      return result
    },

    async stop() {
      mode = 'stopping'
      queues.stop()
      hostLimit.stop()
      await register.settle()
    },
  }
}

async function waitAtMost(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController()
  const timeout = sleep(timeoutMs, undefined, { signal: timer.signal, ref: false }).catch(() => {})
  await Promise.race([work, timeout])
  timer.abort()
}
