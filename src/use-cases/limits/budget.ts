/**
 * Limits the requests per key and minute across all processes. A process takes a twentieth of the limit at a time from
 * the shared counter. Few requests therefore wait for PostgreSQL, and together the processes never exceed the limit.
 * While PostgreSQL is unavailable, each process counts separately.
 */
import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/connection/database.ts'
import type { Logger } from '../../process/log.ts'
import { createCounter, LimitReached } from './counter.ts'

export const WINDOW_SECONDS = 60
const PARTS = 20
/** The maximum number of keys in memory. When a key is evicted, its unspent points are lost. */
const MAX_KEYS = 50_000
const SEPARATE_COUNT_MS = 5_000

/** The points that a process can spend for a key without a query. */
interface Share {
  left: number
  /** The points that remain in the shared counter. */
  readonly shared: number
  readonly until: number
}

export function createBudget(db: Database, log: Logger, name: string, limit: number) {
  const counter = createCounter(db, name, { points: limit, seconds: WINDOW_SECONDS })
  const part = Math.max(1, Math.floor(limit / PARTS))
  const shares = new LRUCache<string, Share>({ max: MAX_KEYS })
  const taking = new Map<string, Promise<void>>()

  async function take(key: string): Promise<Share> {
    try {
      const { remaining, resetMs } = await counter.consume(key, part)
      return { left: part, shared: remaining, until: performance.now() + resetMs }
    } catch (err) {
      if (!(err instanceof LimitReached)) {
        log.warn({ err }, 'rate limits are counted only by this process')
        return { left: limit, shared: 0, until: performance.now() + SEPARATE_COUNT_MS }
      }
      // The counter refused the complete part, but the process may still spend the points that remain.
      const left = Math.max(0, limit - (err.consumed - part))
      return { left, shared: 0, until: performance.now() + err.waitMs }
    }
  }

  /**
   * Takes points from the shared counter. Requests for the same key that arrive in the meantime wait for these points.
   */
  function taken(key: string): Promise<void> {
    const under = taking.get(key)
    if (under) return under
    const begun = take(key)
      .then((share) => void shares.set(key, share))
      .finally(() => taking.delete(key))
    taking.set(key, begun)
    return begun
  }

  return {
    name,
    limit,
    async spend(key: string) {
      for (;;) {
        const share = shares.get(key)
        const resetMs = share ? share.until - performance.now() : 0
        if (share && resetMs > 0) {
          if (share.left > 0) {
            share.left -= 1
            const refund = () => {
              share.left += 1
            }
            return { allowed: true, remaining: share.left + share.shared, resetMs, refund }
          }
          if (share.shared === 0) return { allowed: false, remaining: 0, resetMs, refund: () => {} }
        }
        await taken(key)
      }
    },
  }
}
