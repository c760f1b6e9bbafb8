/** Where a vault's events go, and the secret that signs them (specification, "Webhook settings and logs"). */
import { unixSeconds } from '../../contracts/common.ts'
import {
  rotateWebhookSecretBody,
  settingsAnswer,
  updateWebhookBody,
  webhookSecretRotatedAnswer,
  webhookUpdatedAnswer,
} from '../../contracts/webhook.ts'
import { isOtpRequired } from '../../db/user-otp.ts'
import { readWebhookSettings, rotateWebhookSecret, updateWebhookUrls } from '../../db/webhook-setting.ts'
import { newWebhookSecret } from '../../storage/random.ts'
import { byOf } from '../address.ts'
import { vaultFor } from '../caller.ts'
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
    handler: async ({ deps: { db }, caller }) => {
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
    response: { 200: webhookUpdatedAnswer },
    body: updateWebhookBody(WEBHOOK_ALLOW_PRIVATE),
    handler: async ({ deps: { db }, caller, req, body }) => {
      await updateWebhookUrls(db, byOf(caller, req), vaultFor(caller, 'api_write'), body.webhook_url)
      return { body: { message: 'Webhook URLs updated' } }
    },
  }),
  route({
    method: 'post',
    path: '/users/rotate_webhook_secret',
    role: 'api_write',
    summary: 'Make a new webhook secret; the one before signs beside it for some hours',
    response: { 200: webhookSecretRotatedAnswer },
    body: rotateWebhookSecretBody,
    handler: async ({ caller, req, body, effect }) => {
      const vaultId = vaultFor(caller, 'api_write')
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
