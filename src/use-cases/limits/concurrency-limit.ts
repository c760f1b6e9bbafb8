/** Limits concurrent work, separately for each caller or in slots that all callers share. */
import { RequestRefused } from '../../domain/base/errors.ts'
import { createFairSlots, type Share } from '../../process/fair-slots.ts'
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

/** Divides the slots among vaults, and a vault's slots among its callers. */
export interface SharedLimit {
  /** Runs the work when a slot is free. Throws `service_unavailable` after the maximum wait. */
  run<T>(share: Share, work: () => Promise<T>): Promise<T>
  /** Waits for a slot, as `run` does. Returns a function that frees the slot. */
  take(share: Share): Promise<() => void>
}

export function createSharedLimit({ maxWaitMs, timeoutMessage, ...limits }: SharedOptions): SharedLimit {
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
          clearTimeout(patience)
          resolve(() => slots.leave(share))
        },
      }
      const patience = setTimeout(() => {
        waiting.isLate = true
        reject(waitedTooLong(timeoutMessage))
      }, maxWaitMs)
      slots.waitingOf(share).push(waiting)
      slots.fill()
    })

  return {
    take,
    async run(share, work) {
      const leave = await take(share)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
