/** Routes that clients use to list, search and resend webhook deliveries (specification, "Webhook settings and logs"). */
import { listResponse, ofVaultQuery, periodOf } from '../../contracts/common.ts'
import {
  listWebhookAttemptsQuery,
  listWebhookLogsQuery,
  retryWebhookLogBody,
  retryWebhookLogsBody,
  webhookAttemptListResponse,
  webhookLogListResponse,
  webhookLogRetriedResponse,
  webhookLogsRetriedResponse,
} from '../../contracts/webhook.ts'
import type { WebhookLog } from '../../domain/webhook/log.ts'
import {
  listWebhookAttempts,
  listWebhookLogs,
  retryWebhookLog,
  retryWebhookLogs,
} from '../../use-cases/webhooks/logs.ts'
import { presentAttempt, presentLog, presentRetried } from '../presenters/webhook-log.ts'
import { type Route, route } from '../routing/route.ts'

export const webhookLogRoutes: readonly Route[] = [
  route({
    name: 'listWebhookLogs',
    at: 'GET /webhook_logs',
    role: 'api_read',
    summary: 'List webhook deliveries, newest first',
    response: { 200: webhookLogListResponse },
    query: listWebhookLogsQuery,
    handler: async ({ deps, caller, query }) => {
      const { type: topic, status, search, vault_id } = query
      const filter = { topic, status, search, ...periodOf(query) }
      const listed = await listWebhookLogs(deps, caller, vault_id, filter, query)
      return { body: listResponse(listed, query, presentLog) }
    },
  }),
  route({
    name: 'listWebhookAttempts',
    at: 'GET /webhook_logs/:id/attempts',
    role: 'api_read',
    summary: 'List a delivery’s attempts, oldest first',
    response: { 200: webhookAttemptListResponse },
    query: listWebhookAttemptsQuery,
    handler: async ({ deps, caller, params, query }) => ({
      body: listResponse(await listWebhookAttempts(deps, caller, params.id, query), query, presentAttempt),
    }),
  }),
  route({
    name: 'retryWebhookLog',
    at: 'POST /webhook_logs/:id/retry',
    role: 'api_write',
    summary: 'Send a delivery again to the current URLs of its topic',
    retryGuidance: 'delivery',
    errors: retryWebhookLog.refuses,
    response: { 200: webhookLogRetriedResponse },
    body: retryWebhookLogBody,
    handler: ({ deps, caller, params, body, effect }) =>
      effect.answering(
        (log: WebhookLog) => ({ body: { data: presentRetried(caller, log) } }),
        (commit) => retryWebhookLog(deps, caller, params.id, body.only_failed, commit),
      ),
  }),
  route({
    name: 'retryWebhookLogs',
    at: 'POST /webhook_logs/retry',
    role: 'api_write',
    summary: 'Send all failed or partial deliveries in a period again',
    retryGuidance: 'rest',
    errors: retryWebhookLogs.refuses,
    response: { 202: webhookLogsRetriedResponse },
    query: ofVaultQuery,
    body: retryWebhookLogsBody,
    handler: async ({ deps, caller, query, body, effect }) => {
      const { type: topic, status, from, to, only_failed: onlyFailed, vault_id } = body
      const range = { topic, status, from, to, onlyFailed }
      const count = await retryWebhookLogs(deps, caller, query.vault_id ?? vault_id, range, effect)
      return { status: 202 as const, body: { data: { count } } }
    },
  }),
]
