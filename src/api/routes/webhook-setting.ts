/** Routes for the webhook URLs and the signing secret of a vault (specification, "Webhook settings and logs"). */
import { ofVaultQuery } from '../../contracts/common.ts'
import { presenterOf } from '../../contracts/record.ts'
import {
  rotateWebhookSecretBody,
  settingsResponse,
  testWebhookBody,
  updateWebhookBody,
  webhookSecretRotatedResponse,
  webhookTestedResponse,
  webhookUpdatedResponse,
} from '../../contracts/webhook.ts'
import { unixSeconds } from '../../domain/base/unix-time.ts'
import {
  getOwnWebhookSettings,
  type RotatedSecret,
  rotateWebhookSecret,
  updateWebhookSettings,
} from '../../use-cases/webhooks/settings.ts'
import { testWebhook } from '../../use-cases/webhooks/test-event.ts'
import { presentOwnSettings } from '../presenters/webhook-setting.ts'
import { type Route, route } from '../routing/route.ts'

const present = presenterOf(webhookTestedResponse.shape.data)

const presentTest = (tested: Awaited<ReturnType<typeof testWebhook>>) =>
  present({ ...tested, accepted: tested.error === null, payload: JSON.parse(tested.payload) })

/** Creates the routes. If private addresses are allowed, URLs can use HTTP, for receivers on the same machine. */
export const webhookSettingRoutes = ({
  WEBHOOK_ALLOW_PRIVATE,
}: {
  readonly WEBHOOK_ALLOW_PRIVATE: boolean
}): readonly Route[] => [
  route({
    name: 'getWebhookSettings',
    at: 'GET /users/settings',
    role: 'api_read',
    summary: 'Read the vault’s webhook settings',
    response: { 200: settingsResponse },
    query: ofVaultQuery,
    handler: async ({ deps, caller, query }) => ({
      body: { data: presentOwnSettings(await getOwnWebhookSettings(deps, caller, query.vault_id)) },
    }),
  }),
  route({
    name: 'updateWebhookUrls',
    at: 'PUT /users/update_webhook',
    role: 'api_write',
    summary: 'Set the webhook URLs of topics and the number of retries',
    retryGuidance: 'same',
    errors: ['unknown_topic'],
    response: { 200: webhookUpdatedResponse },
    query: ofVaultQuery,
    body: updateWebhookBody(WEBHOOK_ALLOW_PRIVATE),
    handler: async ({ deps, caller, by, query, body }) => {
      const change = { urls: body.webhook_url, longRetries: body.long_retries }
      await updateWebhookSettings(deps, caller, by, query.vault_id, change)
      return { body: { message: 'Webhook URLs updated' } }
    },
  }),
  route({
    name: 'testWebhook',
    at: 'POST /users/test_webhook',
    role: 'api_write',
    summary: 'Send a signed test event to a URL, and return the receiver’s response',
    retryGuidance: 'nothing',
    response: { 200: webhookTestedResponse },
    query: ofVaultQuery,
    body: testWebhookBody(WEBHOOK_ALLOW_PRIVATE),
    handler: async ({ deps, caller, query, body: { url } }) => ({
      body: { data: presentTest(await testWebhook(deps, caller, query.vault_id, url)) },
    }),
  }),
  route({
    name: 'rotateWebhookSecret',
    at: 'POST /users/rotate_webhook_secret',
    role: 'api_write',
    summary: 'Create a webhook secret, with an optional period in which both secrets sign',
    retryGuidance: 'secret',
    response: { 200: webhookSecretRotatedResponse },
    query: ofVaultQuery,
    body: rotateWebhookSecretBody,
    handler: ({ deps, caller, by, query, body: { overlap_hours: overlapHours }, effect }) =>
      effect.answering(presentRotated, (commit) =>
        rotateWebhookSecret(deps, caller, by, query.vault_id, overlapHours, commit),
      ),
  }),
]

const presentRotated = ({ secret, previousExpiresAt }: RotatedSecret) => ({
  body: {
    data: {
      webhook_secret: secret,
      previous_secret_expires_at: previousExpiresAt && unixSeconds(previousExpiresAt),
    },
  },
})
