/** Sends a test event to check that a URL accepts deliveries. The event reports no change and has no log. */
import type { AttemptResult } from '../db/webhooks/attempt.ts'
import { withIdentity } from '../db/webhooks/outbox.ts'
import { eventBody, TEST_EVENT } from '../domain/webhook/events.ts'
import type { Headers } from '../domain/webhook/url.ts'
import type { Connections } from './egress.ts'
import { sendWebhook } from './send.ts'

/** Sends the event once, signed like any other event. Returns the sent body as `payload`. */
export async function sendTestEvent(
  egress: Connections,
  url: string,
  secrets: readonly string[],
  headers: Headers,
): Promise<AttemptResult & { readonly payload: string }> {
  const attributes = withIdentity({ version: 1, status: 'test' })
  const payload = eventBody({ name: TEST_EVENT, attributes })
  const attempt = { eventId: attributes.event_id, number: 1, body: payload, secrets, headers }
  return { ...(await sendWebhook(egress, url, attempt)), payload }
}
