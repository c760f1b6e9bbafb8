/** Counters in PostgreSQL, shared by all processes: so many points in so many seconds for each key. */
import type { Pool } from 'pg'
import { RateLimiterPostgres } from 'rate-limiter-flexible'

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
