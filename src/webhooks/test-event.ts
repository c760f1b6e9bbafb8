/** Sends a test event, which reports nothing and has no log, to find out whether a URL accepts deliveries. */
import type { AttemptResult } from '../db/webhooks/attempt.ts'
import { withIdentity } from '../db/webhooks/outbox.ts'
import { eventBody, TEST_EVENT } from '../domain/webhook/events.ts'
import type { Egress } from './egress.ts'
import { sendWebhook } from './send.ts'

/** Makes one attempt, signed as those of real events; `payload` is the body that was sent. */
export async function sendTestEvent(
  egress: Egress,
  url: string,
  secrets: readonly string[],
): Promise<AttemptResult & { readonly payload: string }> {
  const attributes = withIdentity({ version: 1, status: 'test' })
  const payload = eventBody({ name: TEST_EVENT, attributes })
  const attempt = { eventId: attributes.event_id, number: 1, body: payload, secrets }
  return { ...(await sendWebhook(egress, url, attempt)), payload }
}
