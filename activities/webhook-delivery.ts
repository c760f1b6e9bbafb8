/** Attempts to deliver the webhook logs of a batch. */
import { Context } from '@temporalio/activity'
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common'
import { databaseAway } from '../src/db/database.ts'
import { batchIdOf } from '../src/temporal/webhook-deliveries.ts'
import type { Outcome } from '../src/webhooks/deliverer.ts'
import type { WebhookDeliveryActivities } from '../workflows/activities.ts'
import type { ActivityDeps } from './deps.ts'

/** A local activity holds its workflow task, so it waits for nobody who takes longer than this. */
const LOCAL_PATIENCE_MS = 1_000
/** For hosts that are slow or have many deliveries waiting; more than an attempt's deadline. */
const PATIENCE_MS = 20_000
const HEARTBEAT_MS = 3_000

export function createWebhookDeliveryActivities({ deliverer, log }: ActivityDeps): WebhookDeliveryActivities {
  async function attempt(ids: readonly string[], patienceMs: number): Promise<Map<string, Outcome>> {
    const { workflowId = '' } = Context.current().info.workflowExecution ?? {}
    try {
      return await deliverer.attempt(batchIdOf(workflowId), ids, patienceMs)
    } catch (err) {
      const code = databaseAway(err) ? 'database_unavailable' : 'internal_error'
      log.warn({ err, count: ids.length, code }, 'delivery attempts failed on our side')
      throw ApplicationFailure.nonRetryable(code, code)
    }
  }

  async function deliver(ids: readonly string[]): Promise<void> {
    const { info, heartbeat } = Context.current()
    const beat = info.isLocal ? undefined : setInterval(heartbeat, HEARTBEAT_MS)
    try {
      const outcomes = await attempt(ids, info.isLocal ? LOCAL_PATIENCE_MS : PATIENCE_MS)
      if ([...outcomes.values()].every((outcome) => outcome === 'final')) return
    } finally {
      clearInterval(beat)
    }
    // Expected in ordinary operation, so Temporal need not warn of it.
    throw ApplicationFailure.create({
      message: 'no URL accepted',
      type: 'not_accepted',
      category: ApplicationFailureCategory.BENIGN,
    })
  }

  return {
    async attemptWebhooks(ids, beganIn) {
      if (beganIn !== undefined && beganIn !== deliverer.process)
        return { notAccepted: ids, underWay: [], elsewhere: true }
      const outcomes = [...(await attempt(ids, LOCAL_PATIENCE_MS))]
      const withOutcome = (wanted: Outcome) => outcomes.filter(([, is]) => is === wanted).map(([id]) => id)
      return { notAccepted: withOutcome('not_accepted'), underWay: withOutcome('under_way') }
    },

    deliverWebhooks: deliver,
  }
}
