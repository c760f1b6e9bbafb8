/**
 * How much each key may spend a minute in all processes together. A process takes a twentieth at a time
 * from the shared counter and spends that by itself, so the total is never exceeded, and hardly any
 * request waits for PostgreSQL. While PostgreSQL is away each process counts alone.
 */
import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/connection/database.ts'
import type { Logger } from '../../process/log.ts'
import { createCounter, LimitReached } from './counter.ts'

export const WINDOW_SECONDS = 60
const PARTS = 20
/** So many callers at a time are remembered; of one that is forgotten the unspent points are lost. */
const MAX_KEYS = 50_000
const ALONE_MS = 5_000

/** What a process may still spend for a key without asking. */
interface Share {
  left: number
  /** What nobody had taken yet when this was taken. */
  readonly shared: number
  readonly until: number
}

interface Spending {
  readonly allowed: boolean
  readonly remaining: number
  readonly resetMs: number
  /** It was spent for nothing. */
  refund(): void
}

interface Budget {
  readonly name: string
  readonly limit: number
  spend(key: string): Promise<Spending>
}

export function createBudget(db: Database, log: Logger, name: string, limit: number): Budget {
  const counter = createCounter(db, { name, points: limit, seconds: WINDOW_SECONDS })
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
        return { left: limit, shared: 0, until: performance.now() + ALONE_MS }
      }
      // Of the part that went beyond the limit, what is below it belongs to nobody else.
      const left = Math.max(0, limit - (err.consumed - part))
      return { left, shared: 0, until: performance.now() + err.waitMs }
    }
  }

  /** Requests that come while a part is being taken wait for that one. */
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
    async spend(key) {
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
