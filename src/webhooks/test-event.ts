/** An event that tells of nothing: whether a URL takes deliveries is tried with it, and no log has it. */
import type { AttemptResult } from '../db/webhooks/attempt.ts'
import { withIdentity } from '../db/webhooks/outbox.ts'
import { eventBody, TEST_EVENT } from '../domain/webhook/events.ts'
import type { Egress } from './egress.ts'
import { sendWebhook } from './send.ts'

/** One attempt, made and signed as those of real events are; `payload` is the body that was sent. */
export async function sendTestEvent(
  egress: Egress,
  url: string,
  secrets: readonly string[],
): Promise<AttemptResult & { readonly payload: string }> {
  const attributes = withIdentity({ version: 1, status: 'test' })
  const payload = eventBody({ name: TEST_EVENT, attributes })
  return { ...(await sendWebhook(egress, url, payload, secrets)), payload }
}
