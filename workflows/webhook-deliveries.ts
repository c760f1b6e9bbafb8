/** Delivers a batch of webhook logs, as activities under the retry policy below. */
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
  /** Where deliveries to slow hosts are worked on. */
  readonly slowTaskQueue: string
}

/**
 * The specification's schedule: up to three more attempts, ten seconds apart, when no URL accepts. Each run makes one
 * attempt; the first one adopts what began when the logs were claimed. A run that fails says how much is left of the
 * ten seconds; one after which nothing is left to be tried does not fail. Where a vault asks for more attempts, hours
 * apart, something is left after the last run, and the same policy goes on with it.
 */
const POLICY = {
  startToCloseTimeout: '40 seconds',
  retry: { initialInterval: '10 seconds', backoffCoefficient: 1, maximumAttempts: MAX_ATTEMPTS },
} as const

/**
 * A hundred deliveries cost a handful of transitions. The wait between attempts is a timer of the server: the
 * threshold keeps it out of the workflow task.
 */
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
      `**Deliveries:** ${webhookLogIds.length}, **to be tried again:** ${left.notAccepted.length}, **waiting for slow hosts:** ${left.slow.length}`,
    )
    await Promise.all([
      left.notAccepted.length > 0 && deliver(left.notAccepted),
      untilDone(() => slow.deliverWebhooks(left.slow)),
    ])
  }
  await deliver(webhookLogIds)
}

/** Only what a receiver answered counts as an attempt; when our own side failed, it is called afresh. */
async function untilDone<T>(deliver: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await deliver()
    } catch (error) {
      const cause = error instanceof ActivityFailure ? error.cause : error
      if (!(cause instanceof TemporalFailure)) throw error
      // After a long outage the history is long: housekeeping claims what is left for a new batch.
      if (workflowInfo().continueAsNewSuggested) return undefined
      // After the policy's last run the rows say whether anything is left, and hosts have been waited for already.
      const isOurs = !(cause instanceof ApplicationFailure && WAITED.has(cause.type ?? ''))
      if (isOurs) await sleep('10 seconds')
    }
  }
}
const WAITED = new Set(['not_accepted', 'under_way'])
