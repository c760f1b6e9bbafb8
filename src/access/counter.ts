/** Counters in PostgreSQL, shared by all processes: so many points in so many seconds for each key. */
import { RateLimiterDrizzle } from 'rate-limiter-flexible'
import { rateLimits } from '../../drizzle/schema.ts'
import type { Database } from '../db/database.ts'

export function createCounter(
  db: Database,
  options: { keyPrefix: string; points: number; duration: number; clearExpiredByTimeout?: boolean },
): RateLimiterDrizzle {
  return new RateLimiterDrizzle({
    storeClient: db.orm,
    schema: rateLimits,
    // All are in one table, which budgets sweep.
    clearExpiredByTimeout: false,
    ...options,
  })
}
