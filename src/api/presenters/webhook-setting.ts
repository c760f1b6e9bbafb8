/** Presents a vault's webhook settings, with the secret for its client and without it for operators. */
import { presenterOf } from '../../contracts/record.ts'
import { settingsWithoutSecretsResponse } from '../../contracts/webhook.ts'
import type { OwnSettings, ShownSettings } from '../../use-cases/webhooks/settings.ts'

const { failing_webhook_urls: failingUrls } = settingsWithoutSecretsResponse.shape.data.shape
const present = presenterOf(settingsWithoutSecretsResponse.shape.data)
const presentFailing = presenterOf(failingUrls.element)

export const presentSettings = (settings: ShownSettings) =>
  present({
    ...settings,
    id: settings.vaultId,
    webhookUrlList: settings.urlList,
    failingWebhookUrls: settings.failing.map(presentFailing),
    secretKeyPresent: true,
  })

export const presentOwnSettings = (settings: OwnSettings) => ({
  ...presentSettings(settings),
  otp_required_for_login: settings.isOtpRequired,
  webhook_secret: settings.secret,
})
