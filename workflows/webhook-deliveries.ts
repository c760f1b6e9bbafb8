/** Delivers a batch of webhook logs; each delivery is an activity under the retry policy below. */
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
import type { Activities } from '../activities/index.ts'

export interface WebhookDeliveriesStart {
  readonly webhookLogIds: readonly string[]
  /** Where deliveries to slow hosts are worked on. */
  readonly slowTaskQueue: string
}

/** The specification's schedule: up to three more attempts, ten seconds apart, when no URL accepts. */
const POLICY = {
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '10 seconds', backoffCoefficient: 1, maximumAttempts: 4 },
} as const

/** The wait between attempts is a timer of the server: the threshold keeps it out of the workflow task. */
const { deliverWebhook } = proxyLocalActivities<Activities>({ ...POLICY, localRetryThreshold: '5 seconds' })

export async function webhookDeliveries(start: WebhookDeliveriesStart): Promise<void> {
  const { webhookLogIds, slowTaskQueue } = start
  const slow = proxyActivities<Activities>({ ...POLICY, taskQueue: slowTaskQueue })
  let left = webhookLogIds.length
  const show = () => setCurrentDetails(`**Deliveries:** ${webhookLogIds.length}, **unfinished:** ${left}`)
  show()
  await Promise.all(
    webhookLogIds.map(async (id) => {
      const done = await untilFinal(() => deliverWebhook(id))
      if (done === 'deferred') await untilFinal(() => slow.deliverWebhook(id))
      left -= 1
      show()
    }),
  )
}

/** Only what a receiver answered counts as an attempt; when our own side failed, it is called afresh. */
async function untilFinal<T>(deliver: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await deliver()
    } catch (error) {
      const cause = error instanceof ActivityFailure ? error.cause : error
      if (!(cause instanceof TemporalFailure)) throw error
      // After a long outage the history is long: the reconciler claims what is left for a new batch.
      if (workflowInfo().continueAsNewSuggested) return undefined
      // The policy has been waited out already when it is the receiver that did not accept.
      const notAccepted = cause instanceof ApplicationFailure && cause.type === 'not_accepted'
      if (!notAccepted) await sleep('10 seconds')
    }
  }
}
