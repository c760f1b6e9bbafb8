/** Presents webhook logs and their attempts. */

import { unixSeconds } from '../../contracts/common.ts'
import { ENVELOPES } from '../../contracts/response.ts'
import type { Delivery, WebhookAttempt, WebhookLog } from '../../domain/webhook/log.ts'
import type { Caller } from '../../use-cases/access/caller.ts'
import { presentChanged } from './changed.ts'

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

export const presentRetried = (caller: Caller, log: WebhookLog) =>
  presentChanged(caller, log.vaultId, presentLog(log), ENVELOPES.webhookLog)

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
