/**
 * Limits the number of actions per key and period, across all processes. Each limit has a setting, and a refusal names
 * the limit.
 */
import type { Database } from '../../db/connection/database.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { Config } from '../../process/config.ts'
import { createCounter, LimitReached } from './counter.ts'

export const RATES = {
  session_saves: {
    setting: 'RATE_LIMIT_SESSION_SAVES',
    seconds: 60,
    what: 'saves per minute in one session',
  },
  verification_saves: {
    setting: 'RATE_LIMIT_VERIFICATION_SAVES',
    seconds: 86_400,
    what: 'saves per day in one verification',
  },
  session_uploads: {
    setting: 'RATE_LIMIT_SESSION_UPLOADS',
    seconds: 60,
    what: 'uploads per minute in one session',
  },
  verification_uploads: {
    setting: 'RATE_LIMIT_VERIFICATION_UPLOADS',
    seconds: 86_400,
    what: 'uploads per day in one verification',
  },
  /** Limits settings changes, because each one adds a permanent entry to the audit trail. */
  case_reads: {
    setting: 'RATE_LIMIT_CASE_READS',
    seconds: 3_600,
    what: 'cases that an operator reads per hour',
  },
  settings: { setting: 'RATE_LIMIT_SETTINGS', seconds: 3_600, what: 'settings changes per hour' },
} as const
export type RateName = keyof typeof RATES

/** Returns all limits of a vault and its applicants by name, including the storage limits. */
export const limitsOf = (config: Config): Readonly<Record<string, number>> => ({
  ...Object.fromEntries(Object.entries(RATES).map(([name, { setting }]) => [name, config[setting]])),
  vault_files: config.QUOTA_VAULT_FILES,
  vault_bytes: config.QUOTA_VAULT_BYTES,
})

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
      await createCounter(db, { name, points, seconds }).consume(key)
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error
      onReached(name)
      throw new RateReached(error.waitMs, name, `${points.toLocaleString('en')} ${what}`)
    }
  }
}
