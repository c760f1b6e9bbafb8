/**
 * The connections of a process to PostgreSQL. Whoever gets one has it alone, and until a deadline: then it is
 * ended, whatever is under way on it, so that a server that is silent keeps nobody waiting and no connection.
 */
import pLimit from 'p-limit'
import type { Connection } from './connection.ts'
import { connectionError } from './driver.ts'

/** What a connection has planned stays in the server's memory until it ends. */
const LIFETIME_MS = 30 * 60_000

export interface Pool {
  /** The deadline counts from here, so it includes the wait for a connection. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** How many connections are in use, and how many wait for one. */
  usage(): { active: number; waiting: number }
  /** Waits for what is under way. */
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
    // Its turn came too late.
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
      if (ended) throw connectionError('CONNECTION_ENDED', 'the connections were ended')
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
    reject(connectionError('ETIMEDOUT', 'PostgreSQL did not answer in time'))
  }, ms)
  return late
}
