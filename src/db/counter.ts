/** Counters of the rate limiter that count nothing any more. */
import { lt } from 'drizzle-orm'
import { rateLimits } from '../../drizzle/schema.ts'
import type { Database } from './database.ts'

/** Those of processes whose clocks are apart are left alone. */
const HOUR_MS = 3_600_000

export async function deleteExpiredCounters(db: Database): Promise<void> {
  await db.orm.delete(rateLimits).where(lt(rateLimits.expire, new Date(Date.now() - HOUR_MS)))
}
