/** Limits the concurrent work of each caller, so that one caller cannot take most connections to PostgreSQL. */
import { RequestRefused } from '../domain/errors.ts'
import { createKeyedLimit } from '../process/keyed-limit.ts'
import type { Caller } from './access/caller.ts'

/** Works once it is the turn of `who`. Throws `service_unavailable` when that takes too long. */
export type ConcurrencyLimit = <T>(who: string, work: () => Promise<T>) => Promise<T>

/** A client has vaults. */
export type Reader = Pick<Caller, 'actor'> & Partial<Pick<Caller, 'vaults'>>

/** The keys of a vault are one reader. */
export const readerOf = ({ vaults = [], actor }: Reader): string =>
  vaults[0] && vaults.length === 1 ? vaults[0].id : actor

interface LimitOptions {
  /** So many of everybody's. */
  readonly atOnce: number
  /** Who waits longer would be answered when most callers have given up. */
  readonly patienceMs: number
  /** Said to whoever has waited too long. */
  readonly tooLate: string
}

export function createConcurrencyLimit({ atOnce, patienceMs, tooLate }: LimitOptions): ConcurrencyLimit {
  const lanes = createKeyedLimit(atOnce)
  return (who, work) =>
    new Promise((resolve, reject) => {
      let isLate = false
      const waiting = setTimeout(() => {
        isLate = true
        reject(new RequestRefused({ code: 'service_unavailable', message: tooLate }))
      }, patienceMs)
      const begin = async () => {
        clearTimeout(waiting)
        // Nobody waits for it any more.
        if (!isLate) await work().then(resolve, reject)
      }
      void lanes(who, begin)
    })
}
