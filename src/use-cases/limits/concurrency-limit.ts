/** Limits concurrent work, separately for each caller or in slots that all callers share. */
import { RequestRefused } from '../../domain/base/errors.ts'
import { createFairSlots, largestGroup, type Share } from '../../process/fair-slots.ts'
import { createKeyedLimit } from '../../process/keyed-limit.ts'

/** Runs the work when `who` has a free slot. Throws `service_unavailable` after the maximum wait. */
export type ConcurrencyLimit = <T>(who: string, work: () => Promise<T>) => Promise<T>

interface WaitLimit {
  /** The maximum wait for a slot. Most callers would give up after a longer one. */
  readonly maxWaitMs: number
  /** The message for a caller who has waited too long. */
  readonly timeoutMessage?: string
}

interface LimitOptions extends WaitLimit {
  /** The number of tasks that may run at once for each caller. */
  readonly maxConcurrent: number
}

export function createConcurrencyLimit({
  maxConcurrent,
  maxWaitMs,
  timeoutMessage,
}: LimitOptions): ConcurrencyLimit {
  const limits = createKeyedLimit(maxConcurrent)
  return (who, work) =>
    new Promise((resolve, reject) => {
      let isLate = false
      const waiting = setTimeout(() => {
        isLate = true
        reject(waitedTooLong(timeoutMessage))
      }, maxWaitMs)
      const begin = async () => {
        clearTimeout(waiting)
        // The caller has stopped waiting.
        if (!isLate) await work().then(resolve, reject)
      }
      void limits(who, begin)
    })
}

const waitedTooLong = (message: string | undefined) =>
  new RequestRefused({ code: 'service_unavailable', ...(message !== undefined && { message }) })

interface SharedOptions extends WaitLimit {
  /** How many tasks may run at once in total, per vault, and per caller of a vault. */
  readonly maxConcurrent: number
  readonly maxPerVault?: number
  readonly maxPerCaller?: number
}

/** Lets a limit end work, and learn that no one waits for it. */
interface Interruption {
  /**
   * Called if others wait while the vault or the caller of the work holds more slots than theirs. Ends the work, with
   * the error if it can still be reported, or returns false.
   */
  readonly stop?: (refusal: RequestRefused) => boolean
  /** Returns true if the caller has gone. No work of others is then stopped for it. */
  readonly isGone?: () => boolean
}

/** Divides the slots among vaults, and a vault's slots among its callers. */
export interface SharedLimit {
  /** Runs the work when a slot is free. Throws `service_unavailable` after the maximum wait. */
  run<T>(share: Share, work: () => Promise<T>, interruption?: Interruption): Promise<T>
}

const isOfProgram = ({ isProgram = false }: Share) => isProgram
const callerOf = ({ caller }: Share) => caller

/** How long a caller waits, at most, before each attempt to stop work of others. */
const MAX_PATIENCE_MS = 1_000

export function createSharedLimit({ maxWaitMs, timeoutMessage, ...limits }: SharedOptions): SharedLimit {
  const { maxConcurrent, maxPerVault = maxConcurrent, maxPerCaller = maxPerVault } = limits
  interface Running extends Share {
    readonly interruption: Interruption
    /** The waiting caller for whom the work was stopped. Gets its slot when the work has ended. */
    stoppedFor: Share | null
  }
  /** The work in progress, oldest first. */
  const inProgress = new Set<Running>()

  /**
   * Stops the oldest work of the vault with the most slots, or of the waiting caller's vault if none has at least two
   * more. Within a vault, all programs together make room for a person if they have at least two slots more than all
   * people. A person makes room for a program only with two slots more than all programs, because phones can be slow.
   * Otherwise, the caller of the same kind with the most slots makes room. Returns the stopped work, or undefined if the
   * waiting caller would then have more slots than the other.
   */
  function makeRoom(share: Share): Running | undefined {
    const { vaultId, caller } = share
    const all = [...inProgress]
    const isVaultFull = all.filter((each) => each.vaultId === vaultId).length >= maxPerVault
    if (!isVaultFull && all.length < maxConcurrent) return
    // Counts slots that the vault and the caller are about to get.
    const ofVault = all.map((each) => each.stoppedFor ?? each).filter((each) => each.vaultId === vaultId)
    const ofKind = ofVault.filter((each) => isOfProgram(each) === isOfProgram(share))
    const ofCaller = ofVault.filter((each) => each.caller === caller)
    if (ofCaller.length >= maxPerCaller) return
    const running = all.filter(({ stoppedFor }) => !stoppedFor)
    const ofLargest = largestGroup(running, (each) => each.vaultId)
    const isUneven = !isVaultFull && ofLargest.length - ofVault.length >= 2
    const candidates = isUneven ? ofLargest : running.filter((each) => each.vaultId === vaultId)
    const same = candidates.filter((each) => isOfProgram(each) === isOfProgram(share))
    const others = candidates.filter((each) => !same.includes(each))
    const ahead = isOfProgram(share) ? largestGroup(others, callerOf) : others
    const isKindAhead = ahead.length - ofKind.length >= 2
    const rivals = isUneven ? candidates : isKindAhead ? ahead : same
    const found = largestGroup(rivals, callerOf)
    const isOwed = isUneven || isKindAhead
    if (!isOwed && found.length - ofCaller.length < 2) return
    // If so, any work makes room, but preferably that of the caller with the most slots.
    const yielding = isOwed ? [...found, ...rivals] : found
    const refusal = waitedTooLong(timeoutMessage)
    const stopped = yielding.find(({ interruption }) => interruption.stop?.(refusal))
    if (stopped) stopped.stoppedFor = share
    return stopped
  }

  interface Waiting {
    readonly begin: () => void
    isLate: boolean
  }
  const slots = createFairSlots<Waiting>({
    ...limits,
    pick(waiting) {
      while (waiting[0]?.isLate) waiting.shift()
      return waiting.shift()
    },
    begin: ({ begin }) => begin(),
  })

  /** Waits for a slot. Returns a function that frees it. */
  const take = (share: Share, isGone = () => false) =>
    new Promise<() => void>((resolve, reject) => {
      const waiting: Waiting = {
        isLate: false,
        begin() {
          clearInterval(attempts)
          clearTimeout(patience)
          resolve(() => slots.leave(share))
        },
      }
      let stopped: Running | undefined
      const attempts = setInterval(
        () => {
          if (!isGone() && !(stopped && inProgress.has(stopped))) stopped = makeRoom(share)
        },
        Math.min(MAX_PATIENCE_MS, maxWaitMs / 3),
      )
      const patience = setTimeout(() => {
        clearInterval(attempts)
        waiting.isLate = true
        reject(waitedTooLong(timeoutMessage))
      }, maxWaitMs)
      slots.waitingOf(share).push(waiting)
      slots.fill()
    })

  return {
    async run(share, work, interruption = {}) {
      const leave = await take(share, interruption.isGone)
      const own = { ...share, interruption, stoppedFor: null }
      inProgress.add(own)
      try {
        return await work()
      } finally {
        inProgress.delete(own)
        leave()
      }
    },
  }
}
