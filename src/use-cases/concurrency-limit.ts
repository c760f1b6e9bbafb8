/** Limits concurrent work: that of each caller for itself, or that of all callers in places that they share. */
import { RequestRefused } from '../domain/errors.ts'
import { createFairSlots, type Share } from '../process/fair-slots.ts'
import { createKeyedLimit } from '../process/keyed-limit.ts'
import type { Caller } from './access/caller.ts'

/** Works once it is the turn of `who`. Throws `service_unavailable` when that takes too long. */
export type ConcurrencyLimit = <T>(who: string, work: () => Promise<T>) => Promise<T>

/** A client has vaults. */
export type Reader = Pick<Caller, 'actor'> & Partial<Pick<Caller, 'vaults'>>

/** The keys of a vault are one reader. */
export const readerOf = ({ vaults = [], actor }: Reader): string =>
  vaults[0] && vaults.length === 1 ? vaults[0].id : actor

interface WaitLimit {
  /** After a longer wait, most callers have given up. */
  readonly maxWaitMs: number
  /** The message for a caller who has waited longer. */
  readonly timeoutMessage?: string
}

interface LimitOptions extends WaitLimit {
  /** Of each caller. */
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
        // Nobody waits for it any more.
        if (!isLate) await work().then(resolve, reject)
      }
      void limits(who, begin)
    })
}

const waitedTooLong = (message: string | undefined) =>
  new RequestRefused({ code: 'service_unavailable', ...(message !== undefined && { message }) })

interface SharedOptions extends WaitLimit {
  /** Of all callers, of one vault, and of one of its callers. */
  readonly maxConcurrent: number
  readonly maxPerVault?: number
  readonly maxPerCaller?: number
}

/** Vaults share the places, and so do the callers of a vault. */
export interface SharedLimit {
  /** Works once there is a place. Throws `service_unavailable` if that takes too long. */
  run<T>(share: Share, work: () => Promise<T>): Promise<T>
  /** Waits for a place, as `run` does. Returns a function that frees it. */
  take(share: Share): Promise<() => void>
}

export function createSharedLimit({ maxWaitMs, timeoutMessage, ...limits }: SharedOptions): SharedLimit {
  interface Waiting {
    readonly begin: () => void
    isLate: boolean
  }
  const places = createFairSlots<Waiting>({
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
          resolve(() => places.leave(share))
        },
      }
      const patience = setTimeout(() => {
        waiting.isLate = true
        reject(waitedTooLong(timeoutMessage))
      }, maxWaitMs)
      places.waitingOf(share).push(waiting)
      places.fill()
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
