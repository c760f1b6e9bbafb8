/** Workflow: delivers a batch of webhook logs under the retry policy below. */
import {
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setWorkflowOptions,
  sleep,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow'
import { MAX_ATTEMPTS } from '../src/domain/webhook/delivery-schedule.ts'
import type { WebhookDeliveryActivities } from './activities.ts'
import { pinnedIfVersioned } from './versioning.ts'

interface WebhookDeliveriesStart {
  readonly webhookLogIds: readonly string[]
  /** The task queue for deliveries to slow hosts. */
  readonly slowTaskQueue: string
}

/**
 * Follows the specification's schedule of up to three more attempts, ten seconds apart, if no URL accepts a log. Each
 * run makes one attempt for each log. The first run joins the attempts that began when the logs were claimed, up to six
 * seconds earlier.
 * If the first run shows that the next attempts are due at different times, the logs continue in groups. A failed run
 * reports how much of the ten seconds is left. If a vault has long retries, some logs remain after the last run. The
 * workflow then calls the activity again under the same policy.
 */
const POLICY = {
  startToCloseTimeout: '40 seconds',
  retry: { initialInterval: '10 seconds', backoffCoefficient: 1, maximumAttempts: MAX_ATTEMPTS },
} as const

/** The types of failures that already include a wait, so that the next call can follow immediately. */
const WAITED = new Set(['not_accepted', 'in_progress'])

/** With this threshold, the pause between runs is a server timer, which does not keep the workflow task open. */
const local = proxyLocalActivities<WebhookDeliveryActivities>({ ...POLICY, localRetryThreshold: '1 second' })

export async function webhookDeliveries(start: WebhookDeliveriesStart): Promise<void> {
  const { webhookLogIds, slowTaskQueue } = start
  const slow = proxyActivities<WebhookDeliveryActivities>({
    ...POLICY,
    taskQueue: slowTaskQueue,
    heartbeatTimeout: '10 seconds',
  })

  async function deliver(ids: readonly string[]): Promise<void> {
    const left = await repeatUntilDone(() => local.deliverWebhooks(ids))
    if (!left) return
    setCurrentDetails(
      `**Deliveries:** ${webhookLogIds.length}, **to retry:** ${left.notAccepted.flat().length}, **waiting for slow hosts:** ${left.slow.flat().length}`,
    )
    await Promise.all([
      ...left.notAccepted.map(deliver),
      ...left.slow.map((group) => repeatUntilDone(() => slow.deliverWebhooks(group))),
    ])
  }
  await deliver(webhookLogIds)
}

// A batch ends within two days, so it finishes on the version that began it.
setWorkflowOptions(pinnedIfVersioned, webhookDeliveries)

/** Calls the activity again after each last run, because only the rows show whether any logs remain. */
async function repeatUntilDone<T>(deliver: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await deliver()
    } catch (error) {
      const cause = error instanceof ActivityFailure ? error.cause : error
      if (!(cause instanceof TemporalFailure)) throw error
      // Only a long outage makes the history this long. Housekeeping moves the remaining logs to a new batch.
      if (workflowInfo().continueAsNewSuggested) return undefined
      const hasWaited = cause instanceof ApplicationFailure && WAITED.has(cause.type ?? '')
      if (!hasWaited) await sleep('10 seconds')
    }
  }
}
