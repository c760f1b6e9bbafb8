/** Counters in PostgreSQL, shared by all processes: so many points in so many seconds for each key. */
import { RateLimiterDrizzle, type RateLimiterRes } from 'rate-limiter-flexible'
import { rateLimits } from '../../drizzle/schema.ts'
import type { Database } from '../db/database.ts'

export function createCounter(
  db: Database,
  options: { keyPrefix: string; points: number; duration: number },
): RateLimiterDrizzle {
  return new RateLimiterDrizzle({
    storeClient: db.orm,
    schema: rateLimits,
    // Housekeeping does; the library would print what it fails at.
    clearExpiredByTimeout: false,
    ...options,
  })
}

/** A key has spent its points: a refusal, where any other error is a failure. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached'
  readonly waitMs: number
  /** Altogether, those that were refused included. */
  readonly consumed: number

  constructor({ msBeforeNext, consumedPoints }: RateLimiterRes) {
    super('too many of these')
    this.waitMs = msBeforeNext
    this.consumed = consumedPoints
  }
}

/** Throws LimitReached when there are not so many points left. */
export async function consume(counter: RateLimiterDrizzle, key: string, points = 1): Promise<RateLimiterRes> {
  return counter.consume(key, points).catch((refusal: RateLimiterRes | Error) => {
    throw refusal instanceof Error ? refusal : new LimitReached(refusal)
  })
}
