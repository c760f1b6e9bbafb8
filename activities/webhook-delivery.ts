/** Attempts to deliver the webhook logs of a batch. */
import { performance } from 'node:perf_hooks'
import { Context } from '@temporalio/activity'
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { databaseAway } from '../src/db/connection/database.ts'
import { LEEWAY_MS } from '../src/db/webhooks/claim.ts'
import { SPACING_MS } from '../src/domain/webhook/delivery-schedule.ts'
import { throttled } from '../src/process/log.ts'
import { batchIdOf } from '../src/temporal/webhook-deliveries.ts'
import type { DeliveryOutcome } from '../src/webhooks/deliverer.ts'
import type { WebhookDeliveryActivities } from '../workflows/activities.ts'
import type { ActivityDeps } from './deps.ts'

/** A local activity holds its workflow task, so it waits for nobody who takes longer than this. */
const LOCAL_PATIENCE_MS = 1_000
/** For hosts that are slow; more than an attempt's deadline. */
const PATIENCE_MS = 20_000
const HEARTBEAT_MS = 3_000
/** What became due within this time goes together. */
const TOGETHER_MS = LEEWAY_MS - 200

export function createWebhookDeliveryActivities({ deliverer, log }: ActivityDeps): WebhookDeliveryActivities {
  const say = throttled((err) => log.warn({ err, code: codeOf(err) }, 'delivery attempts failed on our side'))

  async function attempt(ids: readonly string[], patienceMs: number, isPatient: boolean) {
    const { workflowId = '' } = Context.current().info.workflowExecution ?? {}
    try {
      const outcomes = await deliverer.attempt(batchIdOf(workflowId), ids, { patienceMs, isPatient })
      for (const outcome of outcomes.values()) if (outcome.is === 'unknown') say(outcome.error)
      return outcomes
    } catch (err) {
      say(err)
      throw ourFailure(err)
    }
  }

  function throwOurs(outcomes: Map<string, DeliveryOutcome>): void {
    for (const outcome of outcomes.values()) if (outcome.is === 'unknown') throw ourFailure(outcome.error)
  }

  const idsOf = (outcomes: Map<string, DeliveryOutcome>, wanted: DeliveryOutcome['is']) =>
    [...outcomes].flatMap(([id, { is }]) => (is === wanted ? [id] : []))

  return {
    async deliverWebhooks(ids) {
      const { info, heartbeat } = Context.current()
      // The first run of a delivery finds attempts that began when it was claimed; later ones wait until they are due.
      const localMs = info.attempt === 1 ? LOCAL_PATIENCE_MS : LOCAL_PATIENCE_MS + LEEWAY_MS
      const beat = info.isLocal ? undefined : setInterval(heartbeat, HEARTBEAT_MS)
      const outcomes = await attempt(ids, info.isLocal ? localMs : PATIENCE_MS, !info.isLocal).finally(() =>
        clearInterval(beat),
      )
      const left = { notAccepted: idsOf(outcomes, 'not_accepted'), slow: idsOf(outcomes, 'under_way') }
      // What waits for slow hosts goes on apart, and the next run meets again what failed on our side.
      if (info.isLocal && left.slow.length > 0)
        return { ...left, notAccepted: [...left.notAccepted, ...idsOf(outcomes, 'unknown')] }
      if (left.notAccepted.length > 0) throw notAccepted([...outcomes.values()])
      throwOurs(outcomes)
      if (left.slow.length > 0) throw ApplicationFailure.nonRetryable('hosts are busy', 'under_way')
      return left
    },
  }
}

const codeOf = (err: unknown) => (databaseAway(err) ? 'database_unavailable' : 'internal_error')
const ourFailure = (err: unknown) => ApplicationFailure.nonRetryable(codeOf(err), codeOf(err))

/**
 * The next run comes when the next attempts are due: ten seconds, or hours, after those of this one began. It is
 * expected, so Temporal need not warn of it.
 */
function notAccepted(outcomes: readonly DeliveryOutcome[]): ApplicationFailure {
  const now = performance.now()
  const dueInMs = outcomes.flatMap((each) => {
    if (each.is === 'unknown') return [SPACING_MS]
    return each.is === 'not_accepted' ? [each.dueAt - now] : []
  })
  const first = Math.min(...dueInMs)
  // Nobody who waits for seconds waits for those who wait for hours.
  const last = Math.max(...dueInMs.filter((ms) => ms <= first + SPACING_MS))
  return ApplicationFailure.create({
    message: 'no URL accepted',
    type: 'not_accepted',
    nextRetryDelay: Math.max(1, Math.round(first), Math.round(last - TOGETHER_MS)),
    category: ApplicationFailureCategory.BENIGN,
  })
}
