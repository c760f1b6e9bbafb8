/** Limits on what a key may do in a period, shared by all processes. Each has a setting, and its refusal names the limit. */
import type { Database } from '../../db/connection/database.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { Config } from '../../process/config.ts'
import { createCounter, LimitReached } from './counter.ts'

export const RATES = {
  /** Each change adds an entry to the audit trail, which is kept for good. */
  settings: { setting: 'RATE_LIMIT_SETTINGS', seconds: 3_600, what: 'changes of settings an hour' },
} as const
export type RateName = keyof typeof RATES

/** Counts one more of these for the key. Throws RateReached. */
export type SpendRate = (name: RateName, key: string) => Promise<void>

export class RateReached extends RequestRefused {
  readonly waitMs: number

  constructor(waitMs: number, limit: string) {
    const message = `The limit of ${limit} is reached. Retry after the number of seconds in Retry-After.`
    super({ code: 'rate_limited', message })
    this.waitMs = waitMs
  }
}

export function createRates(db: Database, config: Config, onReached: (name: RateName) => void): SpendRate {
  return async (name, key) => {
    const { setting, seconds, what } = RATES[name]
    const points = config[setting]
    try {
      await createCounter(db, { name, points, seconds }).consume(key)
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error
      onReached(name)
      throw new RateReached(error.waitMs, `${points.toLocaleString('en')} ${what}`)
    }
  }
}
