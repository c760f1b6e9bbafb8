/** Routes for the options of webhook URLs. */
import { idParams, ofVaultQuery } from '../../contracts/common.ts'
import {
  updateWebhookUrlBody,
  webhookUrlChangedResponse,
  webhookUrlListResponse,
} from '../../contracts/webhook-url.ts'
import { byOf } from '../../http/address.ts'
import { listWebhookUrls, updateWebhookUrl } from '../../use-cases/webhooks/urls.ts'
import { presentChangedUrl, presentUrl } from '../presenters/webhook-url.ts'
import { type Route, route } from '../routing/route.ts'

export const webhookUrlRoutes: readonly Route[] = [
  route({
    name: 'listWebhookUrls',
    method: 'get',
    path: '/webhook_urls',
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
    method: 'patch',
    path: '/webhook_urls/:id',
    role: 'api_write',
    summary: 'Change the options of a webhook URL',
    retryGuidance: 'same',
    errors: updateWebhookUrl.refuses,
    response: { 200: webhookUrlChangedResponse },
    params: idParams,
    body: updateWebhookUrlBody,
    handler: async ({ deps, caller, req, params, body }) => {
      const {
        max_per_second: maxPerSecond,
        client_certificate: clientCertificate,
        client_key,
        ...others
      } = body
      const change = { ...others, maxPerSecond, clientCertificate, clientKey: client_key }
      const url = await updateWebhookUrl(deps, caller, byOf(caller, req), params.id, change)
      return { body: { data: presentChangedUrl(caller, url) } }
    },
  }),
]
