/** Limits concurrent work, separately for each caller or in slots that all callers share. */
import { RequestRefused } from '../../domain/base/errors.ts'
import { createFairSlots, mostFrequent, type Share } from '../../process/fair-slots.ts'
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

type Stop = (refusal: RequestRefused) => boolean

/** Divides the slots among vaults, and a vault's slots among its callers. */
export interface SharedLimit {
  /**
   * Runs the work when a slot is free. Throws `service_unavailable` after the maximum wait. `stop` is called if
   * others wait while its vault or caller holds more slots than theirs. It ends the work, with the error if it can still
   * be reported, or returns false.
   */
  run<T>(share: Share, work: () => Promise<T>, stop?: Stop): Promise<T>
  /** Waits for a slot, as `run` does. Returns a function that frees the slot. */
  take(share: Share): Promise<() => void>
}

/** The maximum wait for a slot before work of others is stopped. */
const MAX_PATIENCE_MS = 1_000

export function createSharedLimit({ maxWaitMs, timeoutMessage, ...limits }: SharedOptions): SharedLimit {
  const { maxConcurrent, maxPerVault = maxConcurrent, maxPerCaller = maxPerVault } = limits
  interface Running extends Share {
    readonly stop: Stop
    isStopped: boolean
  }
  /** The work in progress, oldest first. */
  const inProgress = new Set<Running>()

  /** Stops the oldest work of the caller with the most slots, unless the waiting caller would then have more. */
  function makeRoom({ vaultId, caller }: Share): void {
    const all = [...inProgress]
    const ofVault = all.filter((each) => each.vaultId === vaultId)
    const ofCaller = ofVault.filter((each) => each.caller === caller)
    const isVaultFull = ofVault.length >= maxPerVault
    if (ofCaller.length >= maxPerCaller || (!isVaultFull && all.length < maxConcurrent)) return
    const running = all.filter((each) => !each.isStopped)
    const inVault = isVaultFull ? vaultId : mostFrequent(running.map((each) => each.vaultId))
    const candidates = running.filter((each) => each.vaultId === inVault)
    const inCaller = mostFrequent(candidates.map((each) => each.caller))
    const found = candidates.filter((each) => each.caller === inCaller)
    const surplus = inVault === vaultId ? found.length - ofCaller.length : candidates.length - ofVault.length
    if (surplus < 2) return
    const refusal = waitedTooLong(timeoutMessage)
    const stopped = found.find((each) => each.stop(refusal))
    if (stopped) stopped.isStopped = true
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

  const take = (share: Share) =>
    new Promise<() => void>((resolve, reject) => {
      const waiting: Waiting = {
        isLate: false,
        begin() {
          clearTimeout(halfway)
          clearTimeout(patience)
          resolve(() => slots.leave(share))
        },
      }
      const halfway = setTimeout(() => makeRoom(share), Math.min(MAX_PATIENCE_MS, maxWaitMs / 2))
      const patience = setTimeout(() => {
        waiting.isLate = true
        reject(waitedTooLong(timeoutMessage))
      }, maxWaitMs)
      slots.waitingOf(share).push(waiting)
      slots.fill()
    })

  return {
    take,
    async run(share, work, stop = () => false) {
      const leave = await take(share)
      const own = { ...share, stop, isStopped: false }
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
