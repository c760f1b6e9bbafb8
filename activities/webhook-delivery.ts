/** Activities for webhook deliveries. Each run makes one attempt for each log of its batch. */
import { performance } from 'node:perf_hooks'
import { Context } from '@temporalio/activity'
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { isDatabaseUnavailable } from '../src/db/connection/failure.ts'
import { CLAIM_AHEAD_MS } from '../src/db/webhooks/next-attempt-claim.ts'
import { SPACING_MS } from '../src/domain/webhook/delivery-schedule.ts'
import { throttled } from '../src/process/log.ts'
import { batchIdOf } from '../src/temporal/webhook-deliveries.ts'
import type { DeliveryOutcome } from '../src/webhooks/attempt-register.ts'
import type { WebhookDeliveryActivities } from '../workflows/activities.ts'
import type { ActivityDeps } from './deps.ts'

/** The timeout of a local activity. It is short, because a local activity occupies its workflow task. */
const LOCAL_TIMEOUT_MS = 1_000
/** The timeout on the queue for slow hosts, which is longer than the deadline of a request. */
const SLOW_TIMEOUT_MS = 20_000
const HEARTBEAT_MS = 3_000
/** Logs whose next attempts are due within this time of each other share their runs. */
const TOGETHER_MS = 2_000
/** A run also waits for attempts that become due within this time. */
const DUE_WITHIN_MS = CLAIM_AHEAD_MS - 200

type Outcomes = ReadonlyMap<string, DeliveryOutcome>

export function createWebhookDeliveryActivities({ deliverer, log }: ActivityDeps): WebhookDeliveryActivities {
  const warn = throttled((err) =>
    log.warn({ err, code: codeOf(err) }, 'delivery attempts failed in Gatehouse'),
  )

  async function attempt(ids: readonly string[]): Promise<Outcomes> {
    const { workflowExecution, isLocal, attempt: run } = Context.current().info
    // The first run joins attempts that began with the claim. Later runs also wait until their attempts are due.
    const localTimeoutMs = LOCAL_TIMEOUT_MS + (run === 1 ? 0 : CLAIM_AHEAD_MS)
    const limits = { timeoutMs: isLocal ? localTimeoutMs : SLOW_TIMEOUT_MS, waitsForSlowHosts: !isLocal }
    try {
      const outcomes = await deliverer.attempt(batchIdOf(workflowExecution?.workflowId ?? ''), ids, limits)
      for (const outcome of outcomes.values()) if (outcome.is === 'unknown') warn(outcome.error)
      return outcomes
    } catch (err) {
      warn(err)
      throw ownFailure(err)
    }
  }

  return {
    async deliverWebhooks(ids) {
      const { info, heartbeat } = Context.current()
      const heartbeats = info.isLocal ? undefined : setInterval(heartbeat, HEARTBEAT_MS)
      const outcomes = await attempt(ids).finally(() => clearInterval(heartbeats))
      const left = {
        notAccepted: groupByDue(outcomes, mustRepeat),
        slow: groupByDue(outcomes, ({ is }) => is === 'in_progress'),
      }
      if (info.isLocal && (left.slow.length > 0 || left.notAccepted.length > 1)) return left
      const ended = [...outcomes.values()]
      if (ended.some(({ is }) => is === 'not_accepted')) throw notAccepted(ended)
      for (const outcome of ended) if (outcome.is === 'unknown') throw ownFailure(outcome.error)
      if (left.slow.length > 0) throw ApplicationFailure.nonRetryable('the hosts are busy', 'in_progress')
      return left
    },
  }
}

/** Returns true if the log needs another attempt: no URL accepted it, or the attempt failed in Gatehouse. */
const mustRepeat = ({ is }: DeliveryOutcome): boolean => is === 'not_accepted' || is === 'unknown'

const dueAtOf = (outcome: DeliveryOutcome, now: number): number =>
  'dueAt' in outcome ? outcome.dueAt : now + SPACING_MS

/** Groups the IDs of the logs with these outcomes by the time at which their next attempts are due. */
function groupByDue(outcomes: Outcomes, isWanted: (outcome: DeliveryOutcome) => boolean): string[][] {
  const now = performance.now()
  const due = [...outcomes].flatMap(([id, outcome]) =>
    isWanted(outcome) ? [{ id, dueAt: Math.max(now, dueAtOf(outcome, now)) }] : [],
  )
  const groups: { readonly until: number; readonly ids: string[] }[] = []
  for (const { id, dueAt } of due.sort((a, b) => a.dueAt - b.dueAt)) {
    const last = groups.at(-1)
    if (last && dueAt <= last.until) last.ids.push(id)
    else groups.push({ until: dueAt + TOGETHER_MS, ids: [id] })
  }
  return groups.map(({ ids }) => ids)
}

const codeOf = (err: unknown) => (isDatabaseUnavailable(err) ? 'database_unavailable' : 'internal_error')
const ownFailure = (err: unknown) => ApplicationFailure.nonRetryable(codeOf(err), codeOf(err))

/**
 * Returns the failure that the retry policy counts. The next run starts when the next attempts are due: ten seconds or
 * several hours after this run's attempts began. The failure is expected, so Temporal does not log it.
 */
function notAccepted(outcomes: readonly DeliveryOutcome[]): ApplicationFailure {
  const now = performance.now()
  const dueInMs = outcomes.flatMap((each) => (mustRepeat(each) ? [dueAtOf(each, now) - now] : []))
  const first = Math.min(...dueInMs)
  // An attempt that is due in seconds does not wait for one that is due in hours.
  const last = Math.max(...dueInMs.filter((ms) => ms <= first + SPACING_MS))
  return ApplicationFailure.create({
    message: 'no URL accepted',
    type: 'not_accepted',
    nextRetryDelay: Math.max(1, Math.round(first), Math.round(last - DUE_WITHIN_MS)),
    category: ApplicationFailureCategory.BENIGN,
  })
}
