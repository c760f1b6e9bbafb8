/** Deliveries and their attempts as they are answered. */
import { unixSeconds } from '../../contracts/common.ts'
import type { Delivery, WebhookAttempt, WebhookLog } from '../../domain/webhook/log.ts'
import { type Caller, sightOf } from '../../use-cases/access/caller.ts'

export const presentLog = (log: WebhookLog) => ({
  id: log.id,
  event: log.topic,
  status: log.status,
  fail_reason: log.failReason,
  payload: JSON.parse(log.payload),
  retries: log.retries,
  urls_destiny: log.urlsDestiny,
  created_at: unixSeconds(log.createdAt),
})

/** After a retry. Callers without `api_read` get no content. */
export function presentRetried(caller: Caller, log: WebhookLog) {
  const shown = presentLog(log)
  const { id, status, created_at } = shown
  return sightOf(caller, log.vaultId).content ? shown : { id, status, created_at }
}

export const presentAttempt = (attempt: WebhookAttempt) => ({
  round: attempt.round,
  number: attempt.number,
  url: attempt.url,
  status_code: attempt.statusCode,
  error: attempt.error,
  duration_ms: attempt.durationMs,
  excerpt: attempt.excerpt,
  created_at: unixSeconds(attempt.createdAt),
})

export const presentDelivery = ({ attempts, ...log }: Delivery) => ({
  ...presentLog(log),
  attempts: attempts.map(presentAttempt),
})
