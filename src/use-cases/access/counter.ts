/** Limits on what is counted in PostgreSQL, by all processes together: so many points in so many seconds a key. */
import { addPoints, subtractPoints } from '../../db/access/counter.ts'
import type { Database } from '../../db/connection/database.ts'

interface Limit {
  /** Keys of one limit are told from those of others by it. */
  readonly name: string
  readonly points: number
  readonly seconds: number
}

export interface Counter {
  /** Gives what is left, and for how long. Throws LimitReached when there are not so many points left. */
  consume(key: string, points?: number): Promise<{ remaining: number; resetMs: number }>
  refund(key: string): Promise<void>
}

export function createCounter(db: Database, { name, points: limit, seconds }: Limit): Counter {
  return {
    async consume(key, points = 1) {
      const { points: consumed, resetMs } = await addPoints(db, `${name}:${key}`, points, seconds)
      if (consumed > limit) throw new LimitReached(resetMs, consumed)
      return { remaining: limit - consumed, resetMs }
    },
    refund: (key) => subtractPoints(db, `${name}:${key}`, 1),
  }
}

/** A key has spent its points: a refusal, where any other error is a failure. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached'
  readonly waitMs: number
  /** Altogether, those that were refused included. */
  readonly consumed: number

  constructor(waitMs: number, consumed: number) {
    super('the limit is reached')
    this.waitMs = waitMs
    this.consumed = consumed
  }
}
