/** Presents a vault's webhook settings, with the secret for its client and without it for operators. */
import { unixSeconds } from '../../contracts/common.ts'
import type { OwnSettings, ShownSettings } from '../../use-cases/webhooks/settings.ts'

export const presentSettings = ({ vaultId, failing, ...settings }: ShownSettings) => ({
  id: vaultId,
  redirect_url: settings.redirectUrl,
  trading_fee: settings.tradingFee,
  webhook_url_list: settings.urlList,
  long_retries: settings.longRetries,
  failing_webhook_urls: failing.map(({ topic, url, failingSince }) => ({
    topic,
    url,
    failing_since: unixSeconds(failingSince),
  })),
  secret_key_present: true,
  previous_secret_expires_at:
    settings.previousSecretExpiresAt && unixSeconds(settings.previousSecretExpiresAt),
})

export const presentOwnSettings = (settings: OwnSettings) => ({
  ...presentSettings(settings),
  otp_required_for_login: settings.isOtpRequired,
  webhook_secret: settings.secret,
})
