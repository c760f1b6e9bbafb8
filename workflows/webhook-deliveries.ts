/** Delivers a batch of webhook logs; each delivery is an activity under the retry policy below. */
import {
  ActivityFailure,
  ApplicationFailure,
  proxyLocalActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'

export interface WebhookDeliveriesStart {
  readonly webhookLogIds: readonly string[]
}

/**
 * The specification's schedule: up to three more attempts, ten seconds apart, when no URL accepts. The
 * wait between attempts is a timer of the server: the threshold keeps it out of the workflow task.
 */
const { deliverWebhook } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '10 seconds', backoffCoefficient: 1, maximumAttempts: 4 },
  localRetryThreshold: '5 seconds',
})

export async function webhookDeliveries({ webhookLogIds }: WebhookDeliveriesStart): Promise<void> {
  let left = webhookLogIds.length
  const show = () => setCurrentDetails(`**Deliveries:** ${webhookLogIds.length}, **unfinished:** ${left}`)
  show()
  await Promise.all(
    webhookLogIds.map(async (id) => {
      await deliver(id)
      left -= 1
      show()
    }),
  )
}

/** Only what a receiver answered counts as an attempt; when our own side failed, it is called afresh. */
async function deliver(webhookLogId: string): Promise<void> {
  for (;;) {
    try {
      await deliverWebhook(webhookLogId)
      return
    } catch (error) {
      const notAccepted =
        error instanceof ActivityFailure &&
        error.cause instanceof ApplicationFailure &&
        error.cause.type === 'not_accepted'
      if (!(error instanceof ActivityFailure)) throw error
      // The policy has been waited out already when it is the receiver that did not accept.
      if (!notAccepted) await sleep('10 seconds')
    }
  }
}
