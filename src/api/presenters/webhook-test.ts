/** Presents the result of a test event. */
import type { testWebhook } from '../../use-cases/webhooks/test-event.ts'

export const presentTest = (tested: Awaited<ReturnType<typeof testWebhook>>) => ({
  url: tested.url,
  accepted: tested.error === null,
  status_code: tested.statusCode,
  error: tested.error,
  duration_ms: tested.durationMs,
  excerpt: tested.excerpt,
  payload: JSON.parse(tested.payload),
})
