/** Makes attempts to deliver webhook logs, and records them (design, section 3.3). */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher as Egress } from 'undici'
import { type Database, databaseAway } from '../db/database.ts'
import {
  type AttemptResult,
  type Delivery,
  markProcessing,
  type Recording,
  readDeliveries,
  recordAttempts,
} from '../db/webhook-attempt.ts'
import type { LogStatus } from '../domain/events.ts'
import { createGroupCommit } from '../group-commit.ts'
import { createHostLanes } from './host-lanes.ts'
import { sendWebhook } from './send.ts'

const MAX_ATTEMPTS = 4
/** A re-run comes at once; an attempt may not follow the one before sooner than this. */
const MIN_SPACING_SECONDS = 9.5
const MAX_RECORDED_TOGETHER = 500
/** What receivers have answered is kept while the database is away, rather than asked of them again. */
const RECORD_PAUSE_MS = 500
const MAX_RECORD_TRIES = 120

/** What is left of a delivery: nothing, its next attempt, or an attempt that is or could not be under way. */
export type Outcome = 'final' | 'not_accepted' | 'under_way'

export interface Deliverer {
  /** Where attempts that were begun early are known. */
  readonly process: string
  /**
   * Attempts each of the logs once, or waits for an attempt that is under way in this process, all side by side, and returns after `patienceMs` at the latest: what has
   * not begun by then is left, what is under way ends and is recorded behind the caller's back. Throws when
   * our own side fails.
   */
  attempt(ids: readonly string[], patienceMs: number): Promise<Map<string, Outcome>>
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>
}

export function createDeliverer({ db, egress }: { db: Database; egress: Egress }): Deliverer {
  const lanes = createHostLanes()
  /** By log id: the same log is never attempted twice at a time. */
  const underWay = new Map<string, Promise<Outcome>>()
  const record = createGroupCommit(
    async (recordings: readonly Recording[]) => {
      await persistently(() => recordAttempts(db, recordings))
      return recordings
    },
    { max: MAX_RECORDED_TOGETHER },
  )

  async function attemptOne(delivery: Delivery, patience: { over: boolean }): Promise<Outcome> {
    const { urls, payload, secrets, recorded } = delivery
    const results: Pick<AttemptResult, 'url' | 'error'>[] = [...recorded]
    const recordings: Promise<unknown>[] = []
    await Promise.all(
      urls
        .filter((url) => !recorded.some((result) => result.url === url))
        .map(async (url) => {
          const send = () => sendWebhook(egress, url, payload, secrets)
          const result = await lanes.run(url, () => !patience.over, send)
          if (!result) return
          results.push(result)
          const failReason = results.findLast(({ error }) => error !== null)?.error ?? null
          recordings.push(record({ delivery, result, status: statusAfter(delivery, results), failReason }))
        }),
    )
    await Promise.all(recordings)
    if (results.length < urls.length) return 'under_way'
    return statusAfter(delivery, results) === 'processing' ? 'not_accepted' : 'final'
  }

  return {
    process: randomUUID(),
    async attempt(ids, patienceMs) {
      const outcomes = new Map<string, Outcome>()
      const patience = { over: false }
      const joined = ids.flatMap((id) => {
        const attempt = underWay.get(id)
        outcomes.set(id, attempt ? 'under_way' : 'final')
        return attempt ? [attempt.then((outcome) => outcomes.set(id, outcome))] : []
      })
      const free = ids.filter((id) => !underWay.has(id))
      const attempts = (await readDeliveries(db, free)).map(async (delivery) => {
        const { id, waitedSeconds } = delivery
        if (underWay.has(id)) return outcomes.set(id, 'under_way')
        if (waitedSeconds !== null && waitedSeconds < MIN_SPACING_SECONDS)
          return outcomes.set(id, 'not_accepted')
        outcomes.set(id, 'under_way')
        const attempt = attemptOne(delivery, patience).finally(() => underWay.delete(id))
        underWay.set(id, attempt)
        return outcomes.set(id, await attempt)
      })
      const ended = Promise.all([...joined, ...attempts]).then(() => true)
      // Its failure is the caller's while the caller waits; later, the log is read again anyway.
      ended.catch(() => {})
      const timer = new AbortController()
      const inTime = await Promise.race([
        ended,
        sleep(patienceMs, false, { signal: timer.signal, ref: false }).catch(() => false),
      ])
      timer.abort()
      patience.over = true
      if (!inTime) {
        const left = [...outcomes].filter(([, outcome]) => outcome === 'under_way').map(([id]) => id)
        await markProcessing(db, left)
      }
      return new Map(outcomes)
    },
    async idle() {
      await Promise.allSettled(underWay.values())
    },
  }
}

function statusAfter({ urls, number }: Delivery, results: readonly { error: string | null }[]): LogStatus {
  if (results.length < urls.length) return 'processing'
  const accepted = results.filter(({ error }) => error === null).length
  if (accepted > 0) return accepted === urls.length ? 'completed' : 'partial'
  return number < MAX_ATTEMPTS ? 'processing' : 'failed'
}

/** Tries again while the database is away. */
async function persistently(write: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write()
    } catch (error) {
      if (!databaseAway(error) || tries === MAX_RECORD_TRIES) throw error
      await sleep(RECORD_PAUSE_MS)
    }
  }
}
