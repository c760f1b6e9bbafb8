/** Routes for the options of webhook URLs. */

import { ofVaultQuery } from '../../contracts/common.ts'
import { presenterOf } from '../../contracts/record.ts'
import { ENVELOPES } from '../../contracts/response.ts'
import {
  resendBody,
  resendResponse,
  updateWebhookUrlBody,
  urlChangeOf,
  webhookUrlChangedResponse,
  webhookUrlListResponse,
} from '../../contracts/webhook-url.ts'
import { timeOf } from '../../domain/base/unix-time.ts'
import type { WebhookUrl } from '../../domain/webhook/url.ts'
import type { Caller } from '../../use-cases/access/caller.ts'
import {
  getResend,
  listWebhookUrls,
  startResend,
  stopResend,
  updateWebhookUrl,
} from '../../use-cases/webhooks/urls.ts'
import { presentChanged } from '../presenters/changed.ts'
import { type Route, route } from '../routing/route.ts'

const presentUrl = presenterOf(webhookUrlListResponse.shape.data.element)

const presentChangedUrl = (caller: Caller, url: WebhookUrl) =>
  presentChanged(caller, url.vaultId, presentUrl(url), ENVELOPES.webhookUrl)

const presentResend = presenterOf(resendResponse.shape.data)

export const webhookUrlRoutes: readonly Route[] = [
  route({
    name: 'listWebhookUrls',
    at: 'GET /webhook_urls',
    role: 'api_read',
    summary: 'List the registered webhook URLs with their options',
    response: { 200: webhookUrlListResponse },
    query: ofVaultQuery,
    handler: async ({ deps, caller, query }) => ({
      body: { data: (await listWebhookUrls(deps, caller, query.vault_id)).map(presentUrl) },
    }),
  }),
  route({
    name: 'updateWebhookUrl',
    at: 'PATCH /webhook_urls/:id',
    role: 'api_write',
    summary: 'Change the options of a webhook URL',
    retryGuidance: 'same',
    errors: updateWebhookUrl.refuses,
    response: { 200: webhookUrlChangedResponse },
    body: updateWebhookUrlBody,
    handler: async ({ deps, caller, by, params, body }) => {
      const url = await updateWebhookUrl(deps, caller, by, params.id, urlChangeOf(body))
      return { body: { data: presentChangedUrl(caller, url) } }
    },
  }),
  route({
    name: 'getWebhookResend',
    at: 'GET /webhook_urls/:id/resend',
    role: 'api_read',
    summary: 'Read the progress of sending the failed deliveries of a URL again',
    response: { 200: resendResponse },
    handler: async ({ deps, caller, params }) => ({
      body: { data: presentResend(await getResend(deps, caller, params.id)) },
    }),
  }),
  route({
    name: 'startWebhookResend',
    at: 'POST /webhook_urls/:id/resend',
    role: 'api_write',
    summary: 'Send all failed deliveries of a URL since a time again',
    retryGuidance: 'rest',
    errors: startResend.refuses,
    response: { 202: resendResponse },
    body: resendBody,
    handler: async ({ deps, caller, by, params, body: { since, per_second: perSecond } }) => {
      const asked = { since: timeOf(since), perSecond }
      const resend = await startResend(deps, caller, by, params.id, asked)
      return { status: 202 as const, body: { data: presentResend(resend) } }
    },
  }),
  route({
    name: 'stopWebhookResend',
    at: 'POST /webhook_urls/:id/resend/stop',
    role: 'api_write',
    summary: 'Stop sending the failed deliveries of a URL again',
    retryGuidance: 'same',
    response: { 200: resendResponse },
    handler: async ({ deps, caller, by, params }) => ({
      body: { data: presentResend(await stopResend(deps, caller, by, params.id)) },
    }),
  }),
]
