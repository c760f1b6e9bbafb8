/** Where a vault's events go, and the secret that signs them (specification, "Webhook settings and logs"). */
import { ofVaultQuery, unixSeconds } from '../../contracts/common.ts'
import {
  rotateWebhookSecretBody,
  settingsAnswer,
  testWebhookBody,
  updateWebhookBody,
  webhookSecretRotatedAnswer,
  webhookTestedAnswer,
  webhookUpdatedAnswer,
} from '../../contracts/webhook.ts'
import { isOtpRequired } from '../../db/access/user-otp.ts'
import { listFailingUrls } from '../../db/webhooks/failing-url.ts'
import { readWebhookSettings, rotateWebhookSecret, updateWebhookSettings } from '../../db/webhooks/setting.ts'
import { byOf } from '../../http/address.ts'
import { newWebhookSecret } from '../../storage/random.ts'
import { vaultFor } from '../../use-cases/access/caller.ts'
import { testWebhook } from '../../use-cases/webhooks/test-event.ts'
import { presentSettings } from '../presenters/webhook-setting-answer.ts'
import { type Route, route } from '../route.ts'

/** Where private addresses are allowed, URLs need not be https: that is for receivers on the same machine. */
export const webhookSettingRoutes = ({
  WEBHOOK_ALLOW_PRIVATE,
}: {
  readonly WEBHOOK_ALLOW_PRIVATE: boolean
}): readonly Route[] => [
  route({
    method: 'get',
    path: '/users/settings',
    role: 'api_read',
    summary: 'Read the webhook settings of the vault',
    response: { 200: settingsAnswer },
    query: ofVaultQuery,
    handler: async ({ deps: { db }, caller, query }) => {
      const vaultId = vaultFor(caller, 'api_read', query.vault_id)
      const settings = await readWebhookSettings(db, vaultId)
      return {
        body: {
          data: {
            ...presentSettings(vaultId, settings, await listFailingUrls(db, vaultId)),
            otp_required_for_login: caller.userId === null ? false : await isOtpRequired(db, caller.userId),
            webhook_secret: settings.secret(),
          },
        },
      }
    },
  }),
  route({
    method: 'put',
    path: '/users/update_webhook',
    role: 'api_write',
    summary: 'Set the URLs of topics, and for how long deliveries are tried; an empty list stops a topic',
    lost: 'same',
    errors: ['unknown_topic'],
    response: { 200: webhookUpdatedAnswer },
    query: ofVaultQuery,
    body: updateWebhookBody(WEBHOOK_ALLOW_PRIVATE),
    handler: async ({ deps: { db }, caller, req, query, body }) => {
      const vaultId = vaultFor(caller, 'api_write', query.vault_id)
      const change = { urls: body.webhook_url, longRetries: body.long_retries }
      await updateWebhookSettings(db, byOf(caller, req), vaultId, change)
      return { body: { message: 'Webhook URLs updated' } }
    },
  }),
  route({
    method: 'post',
    path: '/users/test_webhook',
    role: 'api_write',
    summary: 'Send a test event to a URL, signed as real ones are, and see what the receiver answers',
    lost: 'nothing',
    response: { 200: webhookTestedAnswer },
    query: ofVaultQuery,
    body: testWebhookBody(WEBHOOK_ALLOW_PRIVATE),
    handler: async ({ deps, caller, query, body: { url } }) => ({
      body: { data: await testWebhook(deps, vaultFor(caller, 'api_write', query.vault_id), url) },
    }),
  }),
  route({
    method: 'post',
    path: '/users/rotate_webhook_secret',
    role: 'api_write',
    summary: 'Make a new webhook secret; the one before signs beside it for as long as is asked for',
    lost: 'secret',
    response: { 200: webhookSecretRotatedAnswer },
    query: ofVaultQuery,
    body: rotateWebhookSecretBody,
    handler: async ({ caller, req, query, body, effect }) => {
      const vaultId = vaultFor(caller, 'api_write', query.vault_id)
      const secret = newWebhookSecret()
      return effect.commit(async (tx) => {
        const expiresAt = await rotateWebhookSecret(
          tx,
          byOf(caller, req),
          vaultId,
          secret,
          body.overlap_hours,
        )
        const previousExpiresAt = expiresAt && unixSeconds(expiresAt)
        const data = { webhook_secret: secret, previous_secret_expires_at: previousExpiresAt }
        return { answer: { body: { data } } }
      })
    },
  }),
]
