/** Presents the result of a test event. */
import { presenterOf } from '../../contracts/record.ts'
import { webhookTestedResponse } from '../../contracts/webhook.ts'
import type { testWebhook } from '../../use-cases/webhooks/test-event.ts'

const present = presenterOf(webhookTestedResponse.shape.data)

export const presentTest = (tested: Awaited<ReturnType<typeof testWebhook>>) =>
  present({ ...tested, accepted: tested.error === null, payload: JSON.parse(tested.payload) })
