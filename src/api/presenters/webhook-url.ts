/** Presents webhook URLs with their options. */
import { unixSeconds } from '../../contracts/common.ts'
import { ENVELOPES } from '../../contracts/response.ts'
import type { Resend } from '../../domain/webhook/resend.ts'
import type { WebhookUrl } from '../../domain/webhook/url.ts'
import type { Caller } from '../../use-cases/access/caller.ts'
import { presentChanged } from './changed.ts'

export const presentUrl = (url: WebhookUrl) => ({
  id: url.id,
  url: url.url,
  topics: url.topics,
  name: url.name,
  events: url.events,
  header_names: url.headerNames,
  paused: url.paused,
  max_per_second: url.maxPerSecond,
})

export const presentChangedUrl = (caller: Caller, url: WebhookUrl) =>
  presentChanged(caller, url.vaultId, presentUrl(url), ENVELOPES.webhookUrl)

export const presentResend = ({ status, since, perSecond, total, sent }: Resend) => ({
  status,
  since: since && unixSeconds(since),
  per_second: perSecond,
  total,
  sent,
})
