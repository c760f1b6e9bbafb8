/**
 * Makes one attempt to deliver a webhook log. Sends the event concurrently to all URLs that have no recorded result,
 * and records each result as it arrives. The last result determines the new status. Once the lease is lost, sends
 * nothing more. If Gatehouse itself fails, the attempt does not count.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AttemptResult, Recording } from '../db/webhooks/attempt.ts'
import type { ClaimedAttempt } from '../db/webhooks/claimed-attempt.ts'
import type { QueuedUrl } from '../db/webhooks/queue.ts'
import type { SendingOptions } from '../db/webhooks/url.ts'
import { timeOfUuid } from '../domain/base/uuid.ts'
import { pauseUntilNext, SPACING_MS } from '../domain/webhook/delivery-schedule.ts'
import { eventIdOf, type LogStatus } from '../domain/webhook/events.ts'
import { createLogThrottle, type Logger } from '../process/log.ts'
import { inSpan, type Span } from '../process/span.ts'
import type { AttemptRecorder } from './attempt-recorder.ts'
import type { AttemptProgress, DeliveryOutcome } from './attempt-register.ts'
import type { LookUp } from './dns-lookups.ts'
import type { Egress } from './egress.ts'
import type { HostLimit } from './host-limit.ts'
import type { Lease, Leases } from './leases.ts'
import { sendWebhook } from './send.ts'
import type { CurrentSigning } from './signing-secrets.ts'
import type { OptionsOfVault } from './url-options.ts'

const DAMAGED_SECRET = 'webhook secret of a vault cannot be decrypted; its deliveries wait for a new secret'
const DAMAGED_OPTIONS =
  'headers or key of a webhook URL cannot be decrypted; its deliveries wait for new ones'

type MakeAttempt = (
  attempt: ClaimedAttempt,
  lease: Lease,
  progress: AttemptProgress,
  /**
   * Resolves when it is the turn of a log that was taken from the queue of its URL. Without it, deliveries to URLs with
   * a queue are moved there.
   */
  turn?: Promise<unknown>,
) => Promise<DeliveryOutcome>

interface AttemptDeps {
  readonly egress: Egress
  readonly lookUp: LookUp
  readonly hostLimit: HostLimit
  readonly recorder: AttemptRecorder
  readonly currentSigning: CurrentSigning
  readonly optionsOf: OptionsOfVault
  /** Moves the delivery to the queue of the URL. Returns false if the lease no longer holds the log. */
  readonly queue: (moved: QueuedUrl) => Promise<boolean>
  readonly leases: Leases
  readonly isStopping: () => boolean
  /** The span that starts the spans of attempts, which continue the traces of their events. */
  readonly trace: Span
  readonly log: Logger
}

export function createMakeAttempt(deps: AttemptDeps): MakeAttempt {
  const { egress, lookUp, hostLimit, recorder, leases, isStopping, trace, log } = deps
  const { currentSigning, optionsOf, queue } = deps
  const isWarningDue = createLogThrottle()

  async function makeAttempt(
    span: Span,
    attempt: ClaimedAttempt,
    lease: Lease,
    progress: AttemptProgress,
    turn: Promise<unknown> | undefined,
  ): Promise<DeliveryOutcome> {
    const { id, vaultId, payload, number, secrets, optionsVersion, recorded, dueInMs, sendTraceparent } =
      attempt
    const eventId = eventIdOf(payload)
    const readAt = performance.now()
    if (!secrets) {
      if (isWarningDue(vaultId)) log.error({ vaultId }, DAMAGED_SECRET)
      // The batch ends without this log. Housekeeping moves the log to new batches until the secret is replaced.
      await release(id, lease, false)
      return { is: 'final' }
    }
    await turn
    // A log whose turn does not come before the process stops returns to the queue.
    const isFromQueue = turn !== undefined && !isStopping()
    if (dueInMs > 0) await inSpan(span, 'wait until due', {}, () => sleep(dueInMs))
    const results: Result[] = [...recorded]
    /** The URLs of the attempt without those whose deliveries were moved to queues. */
    let urls = attempt.urls
    let isStatusRecorded = false

    const readSigning = async () => {
      const signing = await currentSigning({ vaultId, secrets, optionsVersion, readAt })
      return { ...signing, options: await optionsOf(vaultId, signing.optionsVersion) }
    }
    async function record(result: AttemptResult | null): Promise<void> {
      const recording = recordingOf({ ...attempt, urls }, lease, results, result)
      if (recording.isLast) isStatusRecorded = true
      await recorder.record(recording)
    }
    async function deliverTo(url: string): Promise<void> {
      if (await isMoved(url, (await readSigning()).options.get(url))) return
      const waiting = span.start('wait for the host', { attributes: numberOf(url) })
      const result = await lookUp(vaultId, url)
        .then(() =>
          hostLimit.run({ url, vaultId, canWaitLong: progress.canWaitLong }, () => {
            waiting.end()
            return send(url)
          }),
        )
        .finally(waiting.end)
      if (!result) return
      results.push(result)
      await inSpan(span, 'record result', { attributes: numberOf(url) }, () => record(result))
    }
    async function send(url: string): Promise<AttemptResult | null> {
      if (!lease.isHeld()) return null
      const { secrets, options } = await readSigning()
      const own = options.get(url)
      // The URL may have been paused during the wait.
      if (await isMoved(url, own)) return null
      if (own?.isDamaged) throw new Error(DAMAGED_OPTIONS)
      progress.enter({ is: 'sending', vaultId, startedAt: performance.now() })
      const traced = { span, isSent: sendTraceparent, attributes: numberOf(url) }
      const sent = { eventId, number, body: payload, secrets, headers: own?.headers ?? {}, trace: traced }
      return sendWebhook(egress.ofUrl(own), url, sent, lease.isHeld)
    }
    /** Moves the delivery to the queue of the URL, if it has one. Returns whether it was moved. */
    async function isMoved(url: string, options: SendingOptions | undefined): Promise<boolean> {
      if (!options || !(options.paused || (options.queued && !isFromQueue))) return false
      if (!(await queue({ id, leaseId: lease.id, url, urlId: options.id }))) return true
      urls = urls.filter((each) => each !== url)
      return true
    }
    /** Returns the position of the URL for spans, because URLs can contain secrets. */
    const numberOf = (url: string) => ({ 'gatehouse.url.number': attempt.urls.indexOf(url) + 1 })

    const urlsLeft = urls.filter((url) => !recorded.some((result) => result.url === url))
    const work = await Promise.allSettled(urlsLeft.map(deliverTo))
    // All other deliveries wait in queues, which have released the log.
    if (urls.length === 0) return { is: 'final' }
    const isComplete = results.length === urls.length
    // If a process stopped after recording the last result, only the status is missing. The same applies if the last
    // delivery was moved to a queue.
    if (isComplete && !isStatusRecorded) work.push(...(await Promise.allSettled([record(null)])))
    const failure = work.find(({ status }) => status === 'rejected')
    if (failure || !isComplete) await release(id, lease, !failure && !isStopping())
    if (failure?.status === 'rejected') throw failure.reason
    return isComplete ? outcomeOf(attempt, results, progress) : inProgress(progress)
  }

  return (attempt, lease, progress, turn) => {
    const { id, vaultId, payload, round, number, traceparent } = attempt
    const attributes = {
      'gatehouse.vault.id': vaultId,
      'gatehouse.webhook_log.id': id,
      'gatehouse.event.id': eventIdOf(payload),
    }
    const options = { parent: traceparent, attributes }
    if (round === 1 && number === 1)
      trace.start('wait for a worker', { ...options, startedAt: timeOfUuid(id) }).end()
    return inSpan(
      trace,
      'delivery attempt',
      { ...options, attributes: { ...attributes, 'gatehouse.round': round, 'gatehouse.attempt': number } },
      (span) => makeAttempt(span, attempt, lease, progress, turn),
    )
  }

  /** Releases a log. If this fails, the log is released when the lease expires. */
  async function release(id: string, lease: Lease, isSlow: boolean): Promise<void> {
    await recorder.release({ id, leaseId: lease.id, isSlow }).catch(() => leases.abandon(lease))
  }
}

type Result = ClaimedAttempt['recorded'][number]

const isAccepted = ({ error }: Result) => error === null

/** Returns the recording of a result. It contains the state of the log after all results so far. */
function recordingOf(
  attempt: ClaimedAttempt,
  lease: Lease,
  results: readonly Result[],
  result: AttemptResult | null,
): Recording {
  const { id, round, number, urls, pauseMs } = attempt
  const status = statusAfter(attempt, results)
  const isLast = results.length === urls.length
  const isLongPause = isLast && status === 'processing' && pauseMs !== null && pauseMs > SPACING_MS
  return {
    id,
    leaseId: lease.id,
    round,
    number,
    result,
    status,
    failReason: results.findLast((each) => !isAccepted(each))?.error ?? null,
    dueInMs: isLongPause ? pauseMs : null,
    isLast,
    at: performance.now(),
  }
}

function statusAfter({ urls, pauseMs }: ClaimedAttempt, results: readonly Result[]): LogStatus {
  if (results.length < urls.length) return 'processing'
  const acceptedCount = results.filter(isAccepted).length
  if (acceptedCount > 0) return acceptedCount === urls.length ? 'completed' : 'partial'
  return pauseMs === null ? 'failed' : 'processing'
}

export const inProgress = (progress?: AttemptProgress): DeliveryOutcome => ({
  is: 'in_progress',
  dueAt: startOf(progress) + SPACING_MS,
})

/** Returns when the newest request started, or the current time if none has started. */
const startOf = (progress?: AttemptProgress): number =>
  progress?.phase.is === 'sending' ? progress.phase.startedAt : performance.now()

function outcomeOf(
  { number, pauseMs }: ClaimedAttempt,
  results: readonly Result[],
  progress: AttemptProgress,
): DeliveryOutcome {
  if (pauseMs === null || results.some(isAccepted)) return { is: 'final' }
  return { is: 'not_accepted', dueAt: startOf(progress) + pauseUntilNext(number, pauseMs, results) }
}
