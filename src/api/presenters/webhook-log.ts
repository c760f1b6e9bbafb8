/** Presents webhook logs and their attempts. */
import { presenterOf } from '../../contracts/record.ts'
import { ENVELOPES } from '../../contracts/response.ts'
import { webhookAttemptListResponse, webhookLogListResponse } from '../../contracts/webhook.ts'
import type { Delivery, WebhookLog } from '../../domain/webhook/log.ts'
import type { Caller } from '../../use-cases/access/caller.ts'
import { presentChanged } from './changed.ts'

const present = presenterOf(webhookLogListResponse.shape.data.element)

export const presentLog = (log: WebhookLog) =>
  present({ ...log, event: log.topic, payload: JSON.parse(log.payload) })

export const presentRetried = (caller: Caller, log: WebhookLog) =>
  presentChanged(caller, log.vaultId, presentLog(log), ENVELOPES.webhookLog)

export const presentAttempt = presenterOf(webhookAttemptListResponse.shape.data.element)

export const presentDelivery = ({ attempts, ...log }: Delivery) => ({
  ...presentLog(log),
  attempts: attempts.map(presentAttempt),
})
