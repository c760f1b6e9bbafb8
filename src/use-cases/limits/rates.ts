/**
 * Limits the number of actions per key and period, across all processes. Each limit has a setting, and a refusal names
 * the limit.
 */
import type { Database } from '../../db/connection/database.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { Config } from '../../process/config.ts'
import { createCounter, LimitReached } from './counter.ts'
import { RATES, type RateName } from './table.ts'

/** Counts one action for the key. Throws RateReached if the limit is reached. */
export type SpendRate = (name: RateName, key: string) => Promise<void>

export class RateReached extends RequestRefused {
  readonly waitMs: number

  constructor(waitMs: number, limit: RateName, what: string) {
    const message = `The limit of ${what} is reached. Retry after the number of seconds in Retry-After.`
    super({ code: 'rate_limited', message, limit })
    this.waitMs = waitMs
  }
}

export function createRates(db: Database, config: Config, onReached: (name: RateName) => void): SpendRate {
  return async (name, key) => {
    const { setting, seconds, what } = RATES[name]
    const points = config[setting]
    try {
      await createCounter(db, name, { points, seconds }).consume(key)
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error
      onReached(name)
      throw new RateReached(error.waitMs, name, `${points.toLocaleString('en')} ${what}`)
    }
  }
}
