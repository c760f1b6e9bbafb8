/** Delivers a batch of webhook logs; what no URL accepts is an activity under the retry policy below. */
import {
  ActivityFailure,
  ApplicationFailure,
  deprecatePatch,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow'
import type { WebhookDeliveryActivities } from './activities.ts'

interface WebhookDeliveriesStart {
  readonly webhookLogIds: readonly string[]
  /** Where deliveries to slow hosts are worked on. */
  readonly slowTaskQueue: string
  /** The process that has begun the first attempts already. */
  readonly beganIn?: string
}

/** The specification's schedule: up to three more attempts, ten seconds apart, when no URL accepts. */
const POLICY = {
  startToCloseTimeout: '40 seconds',
  retry: { initialInterval: '10 seconds', backoffCoefficient: 1, maximumAttempts: 4 },
} as const

/** The wait between attempts is a timer of the server: the threshold keeps it out of the workflow task. */
const local = proxyLocalActivities<WebhookDeliveryActivities>({ ...POLICY, localRetryThreshold: '5 seconds' })

/** First attempts are local: a hundred deliveries cost a handful of transitions. */
const { attemptWebhooks } = proxyLocalActivities<WebhookDeliveryActivities>({
  startToCloseTimeout: '10 seconds',
  retry: { maximumAttempts: 1 },
})

export async function webhookDeliveries(start: WebhookDeliveriesStart): Promise<void> {
  const { webhookLogIds, slowTaskQueue, beganIn } = start
  const slow = proxyActivities<WebhookDeliveryActivities>({
    ...POLICY,
    taskQueue: slowTaskQueue,
    heartbeatTimeout: '10 seconds',
  })
  deprecatePatch('first-attempts-together')

  const first = await untilDone(() => attemptWebhooks(webhookLogIds, beganIn))
  if (!first) return
  const { notAccepted, underWay, elsewhere } = first
  const left = notAccepted.length + underWay.length
  if (left === 0) return
  setCurrentDetails(
    `**Deliveries:** ${webhookLogIds.length}, **to be tried again:** ${notAccepted.length}, **waiting for slow hosts:** ${underWay.length}`,
  )
  await Promise.all([
    notAccepted.length > 0 &&
      // An attempt begins within a second and ends within ten.
      sleep(elsewhere ? '13 seconds' : '10 seconds').then(() =>
        untilDone(() => local.deliverWebhooks(notAccepted)),
      ),
    underWay.length > 0 && untilDone(() => slow.deliverWebhooks(underWay)),
  ])
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
      // The policy has been waited out already when it is the receiver that did not accept.
      const notAccepted = cause instanceof ApplicationFailure && cause.type === 'not_accepted'
      if (!notAccepted) await sleep('10 seconds')
    }
  }
}
