/** Sends requests as several concurrent callers. Each has its own connection and sends one request at a time. */
import { Pool } from 'undici'
import { middle } from './middle.ts'

export interface Ask {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

export interface Loaded {
  readonly perSecond: number
  readonly medianMs: number
  readonly answers: number
  /** Requests without a 2xx response, by status. */
  readonly failed: ReadonlyMap<number, number>
}

/**
 * Sends requests for this many seconds, at most `most` per second for each caller. `next` returns a caller's next
 * request.
 */
export async function load(
  origin: string,
  callers: number,
  seconds: number,
  next: (caller: number) => Ask,
  most = Number.POSITIVE_INFINITY,
): Promise<Loaded> {
  const pool = new Pool(origin, { connections: callers, pipelining: 1 })
  const latencies: number[] = []
  const failed = new Map<number, number>()
  const started = performance.now()
  const until = started + seconds * 1_000
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let n = 0; n < most && performance.now() < until; n += 1) {
        const sent = performance.now()
        const { statusCode, body } = await pool.request({ ...next(caller), headersTimeout: 60_000 })
        await body.dump()
        latencies.push(performance.now() - sent)
        if (statusCode >= 300) failed.set(statusCode, (failed.get(statusCode) ?? 0) + 1)
      }
    }),
  )
  const perSecond = (latencies.length / (performance.now() - started)) * 1_000
  await pool.close()
  return { perSecond, medianMs: middle(latencies, 0.5), answers: latencies.length, failed }
}
