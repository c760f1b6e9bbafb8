/** Webhook settings, secrets and delivery logs (specification, "Webhook settings and logs"). */
import { idParams, listAnswer, unixSeconds } from '../contracts/common.ts'
import {
  listWebhookAttempts,
  listWebhookLogs,
  retryWebhookLogs,
  rotateWebhookSecret,
  settingsAnswer,
  updateWebhook,
  webhookAttemptList,
  webhookLogAnswer,
  webhookLogList,
  webhookLogsRetried,
  webhookSecretRotated,
  webhookUpdated,
} from '../contracts/webhook.ts'
import { isOtpRequired } from '../db/user-otp.ts'
import {
  listWebhookAttempts as listAttempts,
  listWebhookLogs as listLogs,
  vaultOfWebhookLog,
  type WebhookAttempt,
  type WebhookLog,
} from '../db/webhook-log.ts'
import { retryWebhookLogs as retryLogs, retryWebhookLog } from '../db/webhook-retry.ts'
import {
  readWebhookSettings,
  rotateWebhookSecret as rotate,
  updateWebhookUrls,
} from '../db/webhook-setting.ts'
import { RequestRefused } from '../domain/errors.ts'
import { newWebhookSecret } from '../storage/random.ts'
import { type Caller, vaultFor } from './authentication.ts'
import type { AppDeps } from './deps.ts'
import { type Route, route } from './route.ts'

export const webhookRoutes = ({ db, config, dispatcher }: AppDeps): Route[] => {
  /** The vault of the log, one of the caller's; refuses the request where it lacks the role there. */
  async function vaultOf(caller: Caller, role: string, webhookLogId: string): Promise<string> {
    const ids = caller.vaults.map(({ id }) => id)
    const vaultId = await vaultOfWebhookLog(db, ids, webhookLogId)
    if (vaultId === null) throw new RequestRefused({ code: 'not_found' })
    return vaultFor(caller, role, vaultId)
  }
  return [
    route({
      method: 'get',
      path: '/users/settings',
      role: 'api_read',
      summary: 'Read the webhook settings of the vault',
      response: { 200: settingsAnswer },
      handler: async ({ caller }) => {
        const vaultId = vaultFor(caller, 'api_read')
        const settings = await readWebhookSettings(db, vaultId)
        return {
          body: {
            data: {
              id: vaultId,
              otp_required_for_login: caller.userId === null ? false : await isOtpRequired(db, caller.userId),
              redirect_url: settings.redirectUrl,
              trading_fee: settings.tradingFee,
              webhook_url_list: settings.urlList,
              webhook_secret: settings.secret,
              secret_key_present: true,
            },
          },
        }
      },
    }),
    route({
      method: 'put',
      path: '/users/update_webhook',
      role: 'api_write',
      summary: 'Set the URLs of topics; an empty list stops a topic',
      errors: ['unknown_topic'],
      response: { 200: webhookUpdated },
      body: updateWebhook(config.WEBHOOK_ALLOW_PRIVATE),
      handler: async ({ caller, body }) => {
        await updateWebhookUrls(db, vaultFor(caller, 'api_write'), body.webhook_url)
        return { body: { message: 'Webhook URLs updated' } }
      },
    }),
    route({
      method: 'post',
      path: '/users/rotate_webhook_secret',
      role: 'api_write',
      summary: 'Make a new webhook secret; the one before signs beside it for some hours',
      response: { 200: webhookSecretRotated },
      body: rotateWebhookSecret,
      handler: async ({ caller, body, effect }) => {
        const vaultId = vaultFor(caller, 'api_write')
        const secret = newWebhookSecret()
        return effect.commit(async (tx) => {
          const expiresAt = await rotate(tx, vaultId, secret, body.overlap_hours)
          const previousExpiresAt = expiresAt && unixSeconds(expiresAt)
          const data = { webhook_secret: secret, previous_secret_expires_at: previousExpiresAt }
          return { answer: { body: { data } } }
        })
      },
    }),
    route({
      method: 'get',
      path: '/webhook_logs',
      role: 'api_read',
      summary: 'List deliveries, newest first; `type` and `status` go together',
      response: { 200: webhookLogList },
      query: listWebhookLogs,
      handler: async ({ caller, query }) => {
        const vaultId = vaultFor(caller, 'api_read', query.vault_id)
        const { type: topic, status, search } = query
        // `type` and `status` belong together: without both there is nothing to show.
        if (!topic || !status) return { body: listAnswer([], 0, query) }
        const { logs, totalCount } = await listLogs(db, vaultId, query, { topic, status, search })
        return { body: listAnswer(logs.map(present), totalCount, query) }
      },
    }),
    route({
      method: 'get',
      path: '/webhook_logs/:id/attempts',
      role: 'api_read',
      summary: 'List the attempts of a delivery at each URL, oldest first',
      response: { 200: webhookAttemptList },
      params: idParams,
      query: listWebhookAttempts,
      handler: async ({ caller, params, query }) => {
        const vaultId = await vaultOf(caller, 'api_read', params.id)
        const { attempts, totalCount } = await listAttempts(db, vaultId, params.id, query)
        return { body: listAnswer(attempts.map(presentAttempt), totalCount, query) }
      },
    }),
    route({
      method: 'post',
      path: '/webhook_logs/:id/retry',
      role: 'api_write',
      summary: 'Send a delivery again, to the URLs that the topic has now',
      errors: ['delivery_in_progress', 'no_urls_configured'],
      response: { 200: webhookLogAnswer },
      params: idParams,
      handler: async ({ caller, params, effect }) => {
        const vaultId = await vaultOf(caller, 'api_write', params.id)
        return effect.commit(async (tx) => {
          const retried = await retryWebhookLog(tx, vaultId, params.id)
          if (typeof retried === 'string') throw new RequestRefused({ code: retried })
          return {
            answer: { body: { data: present(retried) } },
            afterwards: () => dispatcher.add([retried.id]),
          }
        })
      },
    }),
    route({
      method: 'post',
      path: '/webhook_logs/retry',
      role: 'api_write',
      summary: 'Send every failed or partial delivery of a time again',
      errors: ['no_urls_configured'],
      response: { 202: webhookLogsRetried },
      body: retryWebhookLogs,
      handler: async ({ caller, body: { type: topic, vault_id, ...range } }) => {
        const vaultId = vaultFor(caller, 'api_write', vault_id)
        const count = await retryLogs(db, vaultId, { topic, ...range }, dispatcher.add)
        if (count === null) throw new RequestRefused({ code: 'no_urls_configured' })
        return { status: 202 as const, body: { data: { count } } }
      },
    }),
  ]
}

const present = (log: WebhookLog) => ({
  id: log.id,
  event: log.event,
  status: log.status,
  fail_reason: log.failReason,
  payload: JSON.parse(log.payload),
  retries: log.retries,
  urls_destiny: log.urlsDestiny,
  created_at: unixSeconds(log.createdAt),
})

const presentAttempt = (attempt: WebhookAttempt) => ({
  round: attempt.round,
  number: attempt.number,
  url: attempt.url,
  status_code: attempt.statusCode,
  error: attempt.error,
  duration_ms: attempt.durationMs,
  excerpt: attempt.excerpt,
  created_at: unixSeconds(attempt.createdAt),
})
