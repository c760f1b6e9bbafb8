/**
 * A process's connections to PostgreSQL. Each belongs to one caller at a time, until a deadline. After the deadline,
 * the pool closes the connection, even if a query is in progress. A server that does not respond thus blocks neither
 * the caller nor the pool.
 */
import pLimit from 'p-limit'
import type { Connection } from './connection.ts'
import { connectionError } from './driver.ts'

/** Limits the memory that a connection's prepared statements occupy in the server. */
const LIFETIME_MS = 30 * 60_000

export interface Pool {
  /** Runs work on a connection. The deadline starts with this call, so it includes the wait for a connection. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** Returns the number of connections in use, and the number of callers that wait for one. */
  usage(): { active: number; waiting: number }
  /** Closes the pool once the queries in progress have ended. */
  end(): Promise<void>
}

export function createPool(open: () => Connection, size: number, deadlineMs: number): Pool {
  const limit = pLimit(size)
  const idle: { connection: Connection; until: number }[] = []
  const inProgress = new Set<Promise<unknown>>()
  let ended = false

  function take() {
    for (;;) {
      const known = idle.pop()
      if (!known) return { connection: open(), until: Date.now() + LIFETIME_MS }
      if (!known.connection.isLost()) return known
    }
  }

  async function within<T>(late: Late, work: (connection: Connection) => Promise<T>): Promise<T> {
    // The deadline passed before a connection became free.
    if (late.passed) return late.promise
    const taken = take()
    const { connection, until } = taken
    try {
      return await Promise.race([work(connection), late.promise])
    } finally {
      if (late.passed) connection.drop()
      if (Date.now() > until) void connection.end()
      else if (!connection.isLost()) idle.push(taken)
    }
  }

  return {
    async use(work) {
      if (ended) throw connectionError('CONNECTION_ENDED', 'the connections were closed')
      const late = startDeadline(deadlineMs)
      const done = limit(() => within(late, work))
      inProgress.add(done)
      try {
        return await Promise.race([done, late.promise])
      } finally {
        late.clear()
        inProgress.delete(done)
      }
    },
    usage: () => ({ active: limit.activeCount, waiting: limit.pendingCount }),
    async end() {
      ended = true
      await Promise.allSettled(inProgress)
      await Promise.all(idle.map(({ connection }) => connection.end()))
    },
  }
}

interface Late {
  readonly passed: boolean
  /** Rejects when the deadline passes. */
  readonly promise: Promise<never>
  clear(): void
}

function startDeadline(ms: number): Late {
  let reject: (error: Error) => void
  const promise = new Promise<never>((_, rejected) => {
    reject = rejected
  })
  const late = { passed: false, promise, clear: () => clearTimeout(timer) }
  const timer = setTimeout(() => {
    late.passed = true
    reject(connectionError('ETIMEDOUT', 'PostgreSQL did not respond in time'))
  }, ms)
  return late
}
