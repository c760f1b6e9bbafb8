/** Makes attempts to deliver webhook logs, and records them. A log is attempted by one process at a time. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type Database, databaseAway } from '../db/connection/database.ts'
import {
  type AttemptResult,
  markProcessing,
  type Recording,
  type Release,
  recordAttempts,
  releaseLogs,
} from '../db/webhooks/attempt.ts'
import {
  type Asked,
  type ClaimedAttempt,
  claimAttempts,
  claimNewLogs,
  type WantedLog,
} from '../db/webhooks/claim.ts'
import { readSecretsInForce } from '../db/webhooks/setting.ts'
import { SPACING_MS } from '../domain/webhook/delivery-schedule.ts'
import type { LogStatus } from '../domain/webhook/events.ts'
import { createLogThrottle, type Logger } from '../process/log.ts'
import type { LookUp } from './dns-lookups.ts'
import type { Egress } from './egress.ts'
import { createGroupCommit } from './group-commit.ts'
import { createHostLanes } from './host-limit.ts'
import { createLeases, type Lease } from './leases.ts'
import { sendWebhook } from './send.ts'

const MAX_TOGETHER = 500
/** What receivers have answered is kept while the database is away, rather than asked of them again. */
const RECORD_PAUSE_MS = 500
/** How often is looked at what another process attempts. */
const POLL_MS = 300
/** An attempt that takes longer is a slow one. */
const SLOW_MS = 1_000
/** New logs are not claimed while so many that are not slow are under way. */
const MAX_BEGUN = 5_000
/** A vault whose hosts are slow fills this, and nobody else's share. */
const MAX_BEGUN_OF_VAULT = 1_000
/** What is sent so long after it was claimed is signed with the secrets that are in force by then. */
const SECRETS_KNOWN_MS = 100
const MAX_SECRETS_KNOWN = 1_000

const UNOPENED = 'the webhook secret of a vault does not open: its deliveries wait for another one'

/** What is left of a delivery: nothing that its batch could do, its next attempt, or one that is or could not be under way. */
export type DeliveryOutcome =
  | { readonly is: 'final' }
  /** By the monotonic clock of this process. */
  | { readonly is: 'not_accepted'; readonly dueAt: number }
  | { readonly is: 'under_way' }
  /** Our own side failed. */
  | { readonly is: 'unknown'; readonly error: unknown }
const [FINAL, UNDER_WAY] = [{ is: 'final' }, { is: 'under_way' }] as const

interface AttemptUnderWay {
  /** For which it was claimed or asked for. */
  readonly batchId: string
  vaultId: string | null
  /** When its newest request began; null while it waits for its turn. */
  begunAt: number | null
  /** Who wait for it although its hosts are slow. */
  patient: number
  /** `held`: it is another process'. */
  readonly ended: Promise<DeliveryOutcome | { readonly is: 'held' }>
}

interface Begun {
  readonly id: string
  readonly ended: Promise<{ readonly is: string }>
}

export interface Deliverer {
  /**
   * Claims new logs for the batch, about as many as there is `room`, fairly between vaults, and begins their first
   * attempts. `more` says that it is worth asking again soon.
   */
  claim(batchId: string, room: number): Promise<{ begun: readonly Begun[]; more: boolean }>
  /**
   * Attempts each of the batch's logs once, or waits for the attempt that is under way, here or in another process,
   * all side by side, and returns after `patienceMs` at the latest: what is under way ends and is recorded behind
   * the caller's back. Who `isPatient` waits for hosts that are slow. Throws when what is left cannot be marked.
   */
  attempt(
    batchId: string,
    ids: readonly string[],
    patience: { readonly patienceMs: number; readonly isPatient: boolean },
  ): Promise<Map<string, DeliveryOutcome>>
  /** Lets go what waits for its turn, and resolves when nothing is under way any more. */
  idle(): Promise<void>
}

interface DelivererOptions {
  readonly db: Database
  readonly egress: Egress
  readonly lookUp: LookUp
  readonly log: Logger
  /** Hears of each attempt of a log that is over and recorded, and of the status that it left. */
  readonly onAttempted?: (status: LogStatus) => void
}

export function createDeliverer({ db, egress, lookUp, log, onAttempted }: DelivererOptions): Deliverer {
  const lanes = createHostLanes()
  const leases = createLeases({ db, log })
  /** By log id: the same log is never attempted twice at a time. */
  const underWay = new Map<string, AttemptUnderWay>()
  const isWarningDue = createLogThrottle()
  let afterVault: string | null = null
  let stopping = false

  const secretsOf = new LRUCache<string, string[]>({
    max: MAX_SECRETS_KNOWN,
    ttl: SECRETS_KNOWN_MS,
    fetchMethod: (vaultId) => readSecretsInForce(db, vaultId),
  })

  /** While the database is away, those of before. */
  async function secretsNow(
    vaultId: string,
    secrets: readonly string[],
    claimedAt: number,
  ): Promise<readonly string[]> {
    if (performance.now() - claimedAt < SECRETS_KNOWN_MS) return secrets
    return (await secretsOf.fetch(vaultId).catch(() => null)) ?? secrets
  }

  const write = createGroupCommit((recordings: readonly Recording[]) => recordTogether(recordings), {
    max: MAX_TOGETHER,
  })
  const record = async (recording: Recording) => {
    const failure = await write(recording)
    if (failure) throw failure
    if (recording.isLast) onAttempted?.(recording.status)
  }
  const release = createGroupCommit(
    async (releases: readonly Release[]) => {
      await releaseLogs(db, releases)
      return releases
    },
    { max: MAX_TOGETHER },
  )
  /** One statement for all that are asked for at that moment. */
  const ask = createGroupCommit(
    (wanted: readonly WantedLog[]) =>
      underLease(async (lease) => {
        const asked = await claimAttempts(db, lease.id, wanted)
        return asked.map((each) => ({ asked: each, lease }))
      }),
    { max: MAX_TOGETHER },
  )

  /** A claim whose answer is lost may have been made all the same. */
  async function underLease<T>(claim: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = await leases.held()
    try {
      return await leases.during(lease, claim(lease))
    } catch (error) {
      leases.renounce(lease)
      throw error
    }
  }

  /** Null for each that was recorded, else why it was not: one that cannot be must not take the others along. */
  async function recordTogether(recordings: readonly Recording[]): Promise<(Error | null)[]> {
    try {
      await persistently(() => recordAttempts(db, recordings))
      return recordings.map(() => null)
    } catch (error) {
      if (recordings.length === 1) return [error as Error]
      const failures: (Error | null)[] = []
      for (const recording of recordings) failures.push((await recordTogether([recording]))[0] ?? null)
      return failures
    }
  }

  /** Tries again while the database is away. */
  async function persistently(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!databaseAway(error) || stopping) throw error
        await sleep(RECORD_PAUSE_MS)
      }
    }
  }

  async function attemptOne(
    delivery: ClaimedAttempt,
    lease: Lease,
    attempt: AttemptUnderWay,
  ): Promise<DeliveryOutcome> {
    const { id, vaultId, round, number, urls, payload, secrets, recorded, dueInMs, pauseMs } = delivery
    const claimedAt = performance.now()
    attempt.vaultId = vaultId
    if (!secrets) {
      if (isWarningDue(vaultId)) log.error({ vaultId }, UNOPENED)
      // Its batch is not kept open for it: housekeeping gives it to another one, again and again.
      await release({ id, leaseId: lease.id, isSlow: false }).catch(() => leases.renounce(lease))
      return FINAL
    }
    if (dueInMs > 0) await sleep(dueInMs)
    const results: Pick<AttemptResult, 'url' | 'error'>[] = [...recorded]
    const recordings: Promise<void>[] = []
    const keep = (result: AttemptResult | null) => {
      const status = statusAfter(delivery, results)
      const failReason = results.findLast(({ error }) => error !== null)?.error ?? null
      const isLast = results.length === urls.length
      const at = performance.now()
      const isLong = isLast && status === 'processing' && pauseMs !== null && pauseMs > SPACING_MS
      const next = { status, failReason, dueInMs: isLong ? pauseMs : null, isLast }
      const recording = { id, leaseId: lease.id, round, number, result, ...next, at }
      recordings.push(handled(record(recording)))
    }
    const send = async (url: string) => {
      if (!lease.holds()) return null
      const inForce = await secretsNow(vaultId, secrets, claimedAt)
      attempt.begunAt = performance.now()
      return sendWebhook(egress, url, payload, inForce, lease.holds)
    }
    const left = urls.filter((url) => !recorded.some((result) => result.url === url))
    // What a dead process recorded may lack its status alone.
    if (left.length === 0) keep(null)
    const sending = await Promise.allSettled(
      left.map(async (url) => {
        await lookUp(vaultId, url)
        const isPatient = () => attempt.patient > 0
        const result = await lanes.run({ url, vaultId, isPatient }, () => send(url))
        if (!result) return
        results.push(result)
        keep(result)
      }),
    )
    const settled = [...sending, ...(await Promise.allSettled(recordings))]
    const failure = settled.find(({ status }) => status === 'rejected')
    const isWhole = results.length === urls.length
    if (failure || !isWhole) {
      const isSlow = !failure && !stopping
      await release({ id, leaseId: lease.id, isSlow }).catch(() => leases.renounce(lease))
      if (failure?.status === 'rejected') throw failure.reason
      return UNDER_WAY
    }
    const accepted = results.some(({ error }) => error === null)
    if (accepted || pauseMs === null) return FINAL
    return { is: 'not_accepted', dueAt: (attempt.begunAt ?? performance.now()) + pauseMs }
  }

  /** Known before anything is asked, so that who comes meanwhile joins it. */
  function follow(
    { id, batchId }: WantedLog,
    vaultId: string | null,
    reading: Promise<{ asked: Asked; lease: Lease }>,
  ): AttemptUnderWay {
    const ended = reading
      .then(({ asked, lease }): AttemptUnderWay['ended'] | DeliveryOutcome | { is: 'held' } => {
        if (asked.is === 'ended') return FINAL
        if (asked.is === 'held') return { is: 'held' }
        if (asked.is === 'claimed') return leases.during(lease, attemptOne(asked.delivery, lease, attempt))
        return { is: 'not_accepted', dueAt: performance.now() + asked.dueInMs }
      })
      .finally(() => {
        // By then it may have been claimed anew, for another batch.
        if (underWay.get(id) === attempt) underWay.delete(id)
      })
    const attempt: AttemptUnderWay = { batchId, vaultId, begunAt: null, patient: 0, ended: handled(ended) }
    underWay.set(id, attempt)
    return attempt
  }

  /** How many are under way of each vault, and how many of all that may end soon. */
  function crowd() {
    const ofVault = new Map<string, number>()
    let quick = 0
    for (const { vaultId, begunAt, patient } of underWay.values()) {
      if (vaultId) ofVault.set(vaultId, (ofVault.get(vaultId) ?? 0) + 1)
      if (begunAt === null ? patient === 0 : performance.now() - begunAt < SLOW_MS) quick += 1
    }
    const full = [...ofVault].flatMap(([vaultId, count]) => (count >= MAX_BEGUN_OF_VAULT ? [vaultId] : []))
    return { quick, full }
  }

  return {
    async claim(batchId, room) {
      const { quick, full } = crowd()
      if (quick >= MAX_BEGUN) return { begun: [], more: true }
      return underLease(async (lease) => {
        const claim = { batchId, leaseId: lease.id, room, except: full, after: afterVault }
        const { deliveries, after, more } = await claimNewLogs(db, claim)
        afterVault = after
        const begun = deliveries.map((delivery) => {
          const { id, vaultId } = delivery
          const claimed = Promise.resolve({ asked: { is: 'claimed', delivery } as const, lease })
          return { id, ended: follow({ id, batchId }, vaultId, claimed).ended }
        })
        return { begun, more: more || full.length > 0 }
      })
    },

    async attempt(batchId, ids, { patienceMs, isPatient }) {
      const outcomes = new Map<string, DeliveryOutcome>(ids.map((id) => [id, UNDER_WAY]))
      const awaited: AttemptUnderWay[] = []
      let isOver = false
      async function one(id: string): Promise<void> {
        while (!isOver) {
          const wanted = { id, batchId }
          const attempt = underWay.get(id) ?? follow(wanted, null, ask(wanted))
          if (isPatient) {
            attempt.patient += 1
            awaited.push(attempt)
          }
          // What fails on our side is told of the log that it failed for: the others go on.
          const outcome = await attempt.ended.catch((error: unknown) => ({ is: 'unknown', error }) as const)
          if (outcome.is === 'held') await sleep(POLL_MS)
          // What came of it for another batch, to which the log may have belonged, says nothing of this one.
          else if (attempt.batchId === batchId) {
            outcomes.set(id, outcome)
            return
          }
        }
      }
      const ended = handled(Promise.all(ids.map(one)))
      const timer = new AbortController()
      const late = sleep(patienceMs, 'late', { signal: timer.signal, ref: false }).catch(() => 'late')
      try {
        await Promise.race([ended, late])
      } finally {
        timer.abort()
        isOver = true
        for (const attempt of awaited) attempt.patient -= 1
      }
      const left = [...outcomes].flatMap(([id, { is }]) => (is === 'under_way' ? [id] : []))
      if (left.length > 0) await markProcessing(db, batchId, left)
      return new Map(outcomes)
    },

    async idle() {
      stopping = true
      lanes.stop()
      while (underWay.size > 0) await Promise.allSettled([...underWay.values()].map(({ ended }) => ended))
      await leases.stop()
    },
  }
}

/** For a promise that is looked at later: until then its failure is nobody's. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

function statusAfter(
  { urls, pauseMs }: ClaimedAttempt,
  results: readonly Pick<AttemptResult, 'error'>[],
): LogStatus {
  if (results.length < urls.length) return 'processing'
  const accepted = results.filter(({ error }) => error === null).length
  if (accepted > 0) return accepted === urls.length ? 'completed' : 'partial'
  return pauseMs === null ? 'failed' : 'processing'
}
