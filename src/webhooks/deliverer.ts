/** Makes attempts to deliver webhook logs, and records them. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, databaseAway, databaseError } from '../db/database.ts'
import {
  type AttemptResult,
  type Delivery,
  MAX_ATTEMPTS,
  markProcessing,
  type Recording,
  readDeliveries,
  recordAttempts,
} from '../db/webhook-attempt.ts'
import type { LogStatus } from '../domain/events.ts'
import { createGroupCommit } from '../group-commit.ts'
import type { Egress } from './egress.ts'
import { createHostLanes } from './host-lanes.ts'
import { sendWebhook } from './send.ts'

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
   * Attempts each of the batch's logs once, or waits for an attempt that is under way in this process, all side
   * by side, and returns after `patienceMs` at the latest: what has not begun by then is left, what is under way
   * ends and is recorded behind the caller's back. Throws when our own side fails.
   */
  attempt(batchId: string, ids: readonly string[], patienceMs: number): Promise<Map<string, Outcome>>
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>
}

export function createDeliverer({ db, egress }: { db: Database; egress: Egress }): Deliverer {
  const lanes = createHostLanes()
  /** By log id: the same log is never attempted twice at a time. */
  const underWay = new Map<string, Promise<Outcome>>()
  const write = createGroupCommit((recordings: readonly Recording[]) => recordTogether(db, recordings), {
    max: MAX_RECORDED_TOGETHER,
  })
  const record = async (recording: Recording) => {
    const failure = await write(recording)
    if (failure) throw failure
  }

  async function attemptOne(delivery: Delivery, patience: { over: boolean }): Promise<Outcome> {
    const { urls, payload, secrets, recorded } = delivery
    const results: Pick<AttemptResult, 'url' | 'error'>[] = [...recorded]
    const recordings: Promise<void>[] = []
    const keep = (result: AttemptResult | null) => {
      const failReason = results.findLast(({ error }) => error !== null)?.error ?? null
      recordings.push(
        handled(record({ delivery, result, status: statusAfter(delivery, results), failReason })),
      )
    }
    const left = urls.filter((url) => !recorded.some((result) => result.url === url))
    // Two processes that each recorded a part of the attempt left the status to one another.
    if (left.length === 0) keep(null)
    await Promise.all(
      left.map(async (url) => {
        const send = () => sendWebhook(egress, url, payload, secrets)
        const result = await lanes.run(url, () => !patience.over, send)
        if (!result) return
        results.push(result)
        keep(result)
      }),
    )
    await Promise.all(recordings)
    if (results.length < urls.length) return 'under_way'
    return statusAfter(delivery, results) === 'processing' ? 'not_accepted' : 'final'
  }

  /** The logs' next attempts, reserved before anything is read, so that who comes meanwhile joins them. */
  function begin(batchId: string, ids: readonly string[], patience: { over: boolean }) {
    const reading = handled(
      readDeliveries(db, batchId, ids).then((found) => new Map(found.map((each) => [each.id, each]))),
    )
    return ids.map((id): [string, Promise<Outcome>] => {
      const attempt = handled(
        reading
          .then((deliveries): Outcome | Promise<Outcome> => {
            const delivery = deliveries.get(id)
            if (!delivery) return 'final'
            const { waitedSeconds } = delivery
            if (waitedSeconds !== null && waitedSeconds < MIN_SPACING_SECONDS) return 'not_accepted'
            return attemptOne(delivery, patience)
          })
          .finally(() => underWay.delete(id)),
      )
      underWay.set(id, attempt)
      return [id, attempt]
    })
  }

  return {
    process: randomUUID(),
    async attempt(batchId, ids, patienceMs) {
      const outcomes = new Map<string, Outcome>(ids.map((id) => [id, 'under_way']))
      const patience = { over: false }
      const joined = ids.flatMap((id): [string, Promise<Outcome>][] => {
        const attempt = underWay.get(id)
        return attempt ? [[id, attempt]] : []
      })
      const free = ids.filter((id) => !underWay.has(id))
      const begun = free.length > 0 ? begin(batchId, free, patience) : []
      const ended = handled(
        Promise.all([...joined, ...begun].map(async ([id, attempt]) => outcomes.set(id, await attempt))).then(
          () => true,
        ),
      )
      const timer = new AbortController()
      const inTime = await Promise.race([
        ended,
        sleep(patienceMs, false, { signal: timer.signal, ref: false }).catch(() => false),
      ]).finally(() => {
        timer.abort()
        patience.over = true
      })
      if (!inTime) {
        const left = [...outcomes].filter(([, outcome]) => outcome === 'under_way').map(([id]) => id)
        await markProcessing(db, batchId, left)
      }
      return new Map(outcomes)
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay.values())
    },
  }
}

/** For a promise that is looked at later: until then its failure is nobody's. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/** Null for each that was recorded, else why it was not: one that cannot be must not take the others along. */
async function recordTogether(db: Database, recordings: readonly Recording[]): Promise<(Error | null)[]> {
  try {
    await persistently(() => recordAttempts(db, recordings))
    return recordings.map(() => null)
  } catch (error) {
    if (recordings.length === 1) return [error as Error]
    const one = async (recording: Recording) => (await recordTogether(db, [recording]))[0] ?? null
    const failures: (Error | null)[] = []
    for (const recording of recordings) failures.push(await one(recording))
    return failures
  }
}

function statusAfter({ urls, number }: Delivery, results: readonly { error: string | null }[]): LogStatus {
  if (results.length < urls.length) return 'processing'
  const accepted = results.filter(({ error }) => error === null).length
  if (accepted > 0) return accepted === urls.length ? 'completed' : 'partial'
  return number < MAX_ATTEMPTS ? 'processing' : 'failed'
}

/** Tries again while the database is away, and when it has chosen this statement to end a deadlock. */
async function persistently(write: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write()
    } catch (error) {
      const again = databaseAway(error) || databaseError(error)?.code?.startsWith('40')
      if (!again || tries === MAX_RECORD_TRIES) throw error
      await sleep(RECORD_PAUSE_MS)
    }
  }
}
