/** Workflow: delivers a batch of webhook logs, as activities under the retry policy below. */
import {
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow'
import { MAX_ATTEMPTS } from '../src/domain/webhook/delivery-schedule.ts'
import type { WebhookDeliveryActivities } from './activities.ts'

interface WebhookDeliveriesStart {
  readonly webhookLogIds: readonly string[]
  /** The task queue for deliveries to slow hosts. */
  readonly slowTaskQueue: string
}

/**
 * The specification's schedule: up to three more attempts, ten seconds apart, if no URL accepts. Each run makes one
 * attempt; the first run joins the attempts that began when the logs were claimed. A run that fails states how much is
 * left of the ten seconds. If a vault has long retries, logs are left after the last run, and the workflow calls the
 * activity again under the same policy.
 */
const POLICY = {
  startToCloseTimeout: '40 seconds',
  retry: { initialInterval: '10 seconds', backoffCoefficient: 1, maximumAttempts: MAX_ATTEMPTS },
} as const

/** The types of failures after which the next attempts are due, or hosts have been waited for, already. */
const WAITED = new Set(['not_accepted', 'in_progress'])

/** The threshold makes the pause between runs a timer of the server, which does not hold the workflow task. */
const local = proxyLocalActivities<WebhookDeliveryActivities>({ ...POLICY, localRetryThreshold: '5 seconds' })

export async function webhookDeliveries(start: WebhookDeliveriesStart): Promise<void> {
  const { webhookLogIds, slowTaskQueue } = start
  const slow = proxyActivities<WebhookDeliveryActivities>({
    ...POLICY,
    taskQueue: slowTaskQueue,
    heartbeatTimeout: '10 seconds',
  })

  async function deliver(ids: readonly string[]): Promise<void> {
    const left = await untilDone(() => local.deliverWebhooks(ids))
    if (!left || left.slow.length === 0) return
    setCurrentDetails(
      `**Deliveries:** ${webhookLogIds.length}, **to retry:** ${left.notAccepted.length}, **waiting for slow hosts:** ${left.slow.length}`,
    )
    await Promise.all([
      left.notAccepted.length > 0 && deliver(left.notAccepted),
      untilDone(() => slow.deliverWebhooks(left.slow)),
    ])
  }
  await deliver(webhookLogIds)
}

/** Calls the activity again after its last run, because the rows say whether anything is left. */
async function untilDone<T>(deliver: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await deliver()
    } catch (error) {
      const cause = error instanceof ActivityFailure ? error.cause : error
      if (!(cause instanceof TemporalFailure)) throw error
      // The history is long after a long outage. Housekeeping moves the remaining logs to a new batch.
      if (workflowInfo().continueAsNewSuggested) return undefined
      const hasWaited = cause instanceof ApplicationFailure && WAITED.has(cause.type ?? '')
      if (!hasWaited) await sleep('10 seconds')
    }
  }
}
