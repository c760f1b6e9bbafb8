/** Counts points per key and period in PostgreSQL, across all processes. */
import { addPoints, subtractPoints } from '../../db/access/counter.ts'
import type { Database } from '../../db/connection/database.ts'

interface Limit {
  readonly points: number
  readonly seconds: number
}

export interface Counter {
  /**
   * Takes points. Returns the remaining points and the time until the count resets. Throws LimitReached if too few
   * remain.
   */
  consume(key: string, points?: number): Promise<{ remaining: number; resetMs: number }>
  refund(key: string): Promise<void>
}

/** Creates a counter. The name separates its keys from the keys of other counters. */
export function createCounter(db: Database, name: string, { points: limit, seconds }: Limit): Counter {
  return {
    async consume(key, points = 1) {
      const { points: consumed, resetMs } = await addPoints(db, `${name}:${key}`, points, seconds)
      if (consumed > limit) throw new LimitReached(resetMs, consumed)
      return { remaining: limit - consumed, resetMs }
    },
    refund: (key) => subtractPoints(db, `${name}:${key}`, 1),
  }
}

/** Thrown if a key has spent its points. All other errors are failures of the counter. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached'
  readonly waitMs: number
  /** All points that were requested in the period, including refused ones. */
  readonly consumed: number

  constructor(waitMs: number, consumed: number) {
    super('the limit is reached')
    this.waitMs = waitMs
    this.consumed = consumed
  }
}
