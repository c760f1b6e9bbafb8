/** Counters in PostgreSQL, shared by all processes: so many points in so many seconds for each key. */
import type { Pool } from 'pg'
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'

export function createCounter(
  pool: Pool,
  options: { keyPrefix: string; points: number; duration: number; clearExpiredByTimeout?: boolean },
): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: pool,
    tableName: 'rate_limits',
    tableCreated: true,
    // All are in one table, which budgets sweep.
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
export async function consume(
  counter: RateLimiterPostgres,
  key: string,
  points = 1,
): Promise<RateLimiterRes> {
  return counter.consume(key, points).catch((refusal: RateLimiterRes | Error) => {
    throw refusal instanceof Error ? refusal : new LimitReached(refusal)
  })
}
