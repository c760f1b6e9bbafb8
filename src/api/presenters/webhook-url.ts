/** Presents webhook URLs with their options. */
import { presenterOf } from '../../contracts/record.ts'
import { ENVELOPES } from '../../contracts/response.ts'
import { resendResponse, webhookUrlListResponse } from '../../contracts/webhook-url.ts'
import type { WebhookUrl } from '../../domain/webhook/url.ts'
import type { Caller } from '../../use-cases/access/caller.ts'
import { presentChanged } from './changed.ts'

export const presentUrl = presenterOf(webhookUrlListResponse.shape.data.element)

export const presentChangedUrl = (caller: Caller, url: WebhookUrl) =>
  presentChanged(caller, url.vaultId, presentUrl(url), ENVELOPES.webhookUrl)

export const presentResend = presenterOf(resendResponse.shape.data)
