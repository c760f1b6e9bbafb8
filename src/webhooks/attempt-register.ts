/** Holds the attempts in progress. Each attempt passes through its phases in one order. */
import { performance } from 'node:perf_hooks'

/** An attempt is slow if its newest request takes longer than this. */
const SLOW_MS = 1_000
/**
 * The maximum number of attempts in progress per vault, so that slow hosts of one vault do not delay others.
 */
const MAX_OF_VAULT = 1_000

/** The remaining work for a log after an attempt. */
export type DeliveryOutcome =
  /** The batch has no more work for this log. */
  | { readonly is: 'final' }
  /** Another attempt follows at `dueAt`, a time on the monotonic clock of this process. */
  | { readonly is: 'not_accepted'; readonly dueAt: number }
  /**
   * The attempt was interrupted or has not finished. If no URL accepts the event, the next attempt is due at `dueAt`.
   */
  | { readonly is: 'in_progress'; readonly dueAt: number }
  /** Gatehouse itself failed. */
  | { readonly is: 'unknown'; readonly error: unknown }

/** The phase of an attempt in progress. */
export type Phase =
  /** The log is not claimed yet, so its vault is unknown. */
  | { readonly is: 'claiming' }
  /** The log is claimed. Its first request waits until it is due, or for its host. */
  | { readonly is: 'queued'; readonly vaultId: string }
  /** At least one request has started, the newest at `startedAt` on the monotonic clock of this process. */
  | { readonly is: 'sending'; readonly vaultId: string; readonly startedAt: number }
  | { readonly is: 'ended' }

const NEXT: Readonly<Record<Phase['is'], readonly Phase['is'][]>> = {
  claiming: ['queued', 'ended'],
  queued: ['sending', 'ended'],
  sending: ['sending', 'ended'],
  ended: [],
}

/** The state of an attempt in progress. */
export interface AttemptProgress {
  readonly phase: Phase
  /** Enters the next phase. Throws if it cannot follow the current one. */
  enter(phase: Phase): void
  /** Returns whether a caller waits for the attempt even if a host is slow. */
  canWaitLong(): boolean
}

/** A call that waits for attempts. */
export interface Caller {
  readonly waitsForSlowHosts: boolean
  hasReturned: boolean
}

export interface AttemptInProgress extends AttemptProgress {
  /** The batch for which the log was claimed or requested. */
  readonly batchId: string
  readonly callers: Caller[]
  /** The outcome. `held` means that another process is attempting the log. */
  readonly ended: Promise<DeliveryOutcome | { readonly is: 'held' }>
}

type Run = (progress: AttemptProgress) => AttemptInProgress['ended']

export function createProgress(first: Phase, callers: readonly Caller[]): AttemptProgress {
  let phase = first
  return {
    get phase() {
      return phase
    },
    enter(next) {
      if (!NEXT[phase.is].includes(next.is)) throw new Error(`${next.is} cannot follow ${phase.is}`)
      phase = next
    },
    canWaitLong: () => callers.some((each) => each.waitsForSlowHosts && !each.hasReturned),
  }
}

export function createAttemptRegister() {
  const attempts = new Map<string, AttemptInProgress>()
  return {
    find: (id: string): AttemptInProgress | undefined => attempts.get(id),

    /** Enters an attempt, which `run` makes, and removes it when it has ended. */
    enter(id: string, batchId: string, first: Phase, run: Run): AttemptInProgress {
      const callers: Caller[] = []
      const progress = createProgress(first, callers)
      const ended = run(progress).finally(() => {
        progress.enter({ is: 'ended' })
        // The log may have been claimed again for another batch.
        if (attempts.get(id) === attempt) attempts.delete(id)
      })
      // Prevents an unhandled rejection until a caller awaits the promise.
      ended.catch(() => {})
      const attempt = Object.assign(progress, { batchId, callers, ended })
      attempts.set(id, attempt)
      return attempt
    },

    /** Counts the fast attempts, and returns the vaults that have the maximum number of attempts in progress. */
    measureLoad(): { fastCount: number; fullVaults: string[] } {
      const counts = new Map<string, number>()
      let fastCount = 0
      for (const { phase, canWaitLong } of attempts.values()) {
        if ('vaultId' in phase) counts.set(phase.vaultId, (counts.get(phase.vaultId) ?? 0) + 1)
        const isFast = phase.is === 'sending' ? performance.now() - phase.startedAt < SLOW_MS : !canWaitLong()
        if (isFast) fastCount += 1
      }
      const fullVaults = [...counts].flatMap(([vaultId, count]) => (count >= MAX_OF_VAULT ? [vaultId] : []))
      return { fastCount, fullVaults }
    },

    /** Waits until no attempt is in progress. */
    async settle(): Promise<void> {
      while (attempts.size > 0) await Promise.allSettled([...attempts.values()].map(({ ended }) => ended))
    },
  }
}
