/** Webhook settings and delivery logs (specification, "Webhook settings and logs"). */
import { listAnswer, unixSeconds } from '../contracts/common.ts'
import {
  listWebhookLogs,
  settingsAnswer,
  updateWebhook,
  webhookLogList,
  webhookUpdated,
} from '../contracts/webhook.ts'
import { isOtpRequired } from '../db/user-otp.ts'
import { listWebhookLogs as listRows, type WebhookLog } from '../db/webhook-log.ts'
import { readWebhookSettings, updateWebhookUrls } from '../db/webhook-setting.ts'
import { vaultFor } from './authentication.ts'
import type { AppDeps } from './deps.ts'
import { type Route, route } from './route.ts'

export const webhookRoutes = ({ db, config }: AppDeps): Route[] => [
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
      const { logs, totalCount } = await listRows(db, vaultId, query, { topic, status, search })
      return { body: listAnswer(logs.map(present), totalCount, query) }
    },
  }),
]

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
