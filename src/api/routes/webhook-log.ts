/** Delivery logs: listed, searched, sent again (specification, "Webhook settings and logs"). */
import { idParams, listAnswer, ofVaultQuery, periodOf } from '../../contracts/common.ts'
import {
  listWebhookAttemptsQuery,
  listWebhookLogsQuery,
  retryWebhookLogBody,
  retryWebhookLogsBody,
  webhookAttemptListAnswer,
  webhookLogAnswer,
  webhookLogListAnswer,
  webhookLogsRetriedAnswer,
} from '../../contracts/webhook.ts'
import type { Database } from '../../db/connection/database.ts'
import { listWebhookAttempts, listWebhookLogs, vaultOfWebhookLog } from '../../db/webhooks/log.ts'
import { retryWebhookLog, retryWebhookLogs } from '../../db/webhooks/retry.ts'
import type { ClientRole } from '../../domain/access/access.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { type Caller, vaultFor } from '../../use-cases/access/caller.ts'
import { presentAttempt, presentLog } from '../presenters/webhook-log.ts'
import { type Route, route } from '../route.ts'

export const webhookLogRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/webhook_logs',
    role: 'api_read',
    summary: 'List deliveries, newest first; `type` and `status` go together, and take `all`',
    response: { 200: webhookLogListAnswer },
    query: listWebhookLogsQuery,
    handler: async ({ deps: { db }, caller, query }) => {
      const vaultId = vaultFor(caller, 'api_read', query.vault_id)
      const { type: topic, status, search } = query
      // `type` and `status` belong together: without both there is nothing to show.
      if (!topic || !status) return { body: listAnswer([], 0, query) }
      const filter = { topic, status, search, ...periodOf(query) }
      const { logs, totalCount } = await listWebhookLogs(db, vaultId, query, filter)
      return { body: listAnswer(logs.map(presentLog), totalCount, query) }
    },
  }),
  route({
    method: 'get',
    path: '/webhook_logs/:id/attempts',
    role: 'api_read',
    summary: 'List the attempts of a delivery at each URL, oldest first',
    response: { 200: webhookAttemptListAnswer },
    params: idParams,
    query: listWebhookAttemptsQuery,
    handler: async ({ deps: { db }, caller, params, query }) => {
      const vaultId = await vaultOfLog(db, caller, 'api_read', params.id)
      const { attempts, totalCount } = await listWebhookAttempts(db, vaultId, params.id, query)
      return { body: listAnswer(attempts.map(presentAttempt), totalCount, query) }
    },
  }),
  route({
    method: 'post',
    path: '/webhook_logs/:id/retry',
    role: 'api_write',
    summary: 'Send a delivery again, to the URLs that the topic has now',
    lost: 'delivery',
    errors: ['delivery_in_progress', 'no_urls_configured', 'no_failed_urls'],
    response: { 200: webhookLogAnswer },
    params: idParams,
    body: retryWebhookLogBody,
    handler: async ({ deps: { db, notifier }, caller, params, body, effect }) => {
      const vaultId = await vaultOfLog(db, caller, 'api_write', params.id)
      return effect.commit(async (tx) => {
        const retried = await retryWebhookLog(tx, vaultId, params.id, body.only_failed)
        if (typeof retried === 'string') throw new RequestRefused({ code: retried })
        return {
          answer: { body: { data: presentLog(retried) } },
          afterwards: () => notifier.tell([retried.id]),
        }
      })
    },
  }),
  route({
    method: 'post',
    path: '/webhook_logs/retry',
    role: 'api_write',
    summary: 'Send every failed or partial delivery of a time again',
    lost: 'rest',
    errors: ['no_urls_configured'],
    response: { 202: webhookLogsRetriedAnswer },
    query: ofVaultQuery,
    body: retryWebhookLogsBody,
    handler: async ({ deps, caller, query, body: { type: topic, vault_id, ...range }, effect }) => {
      const { db, notifier } = deps
      const vaultId = vaultFor(caller, 'api_write', query.vault_id ?? vault_id)
      const count = await retryWebhookLogs(db, vaultId, { topic, ...range }, notifier.tell, effect.renewLease)
      if (count === null) throw new RequestRefused({ code: 'no_urls_configured' })
      return { status: 202 as const, body: { data: { count } } }
    },
  }),
]

/** The vault of the log, one of the caller's; refuses the request where it lacks the role there. */
async function vaultOfLog(
  db: Database,
  caller: Caller,
  role: ClientRole,
  webhookLogId: string,
): Promise<string> {
  const ids = caller.vaults.map(({ id }) => id)
  const vaultId = await vaultOfWebhookLog(db, ids, webhookLogId)
  if (vaultId === null) throw new RequestRefused({ code: 'not_found' })
  return vaultFor(caller, role, vaultId)
}
