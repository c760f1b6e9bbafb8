/** Webhook settings of a vault as they are answered; who may sign with the secret is shown it beside them. */
import type { FailingUrl } from '../../db/webhooks/failing-url.ts'
import type { readWebhookSettings } from '../../db/webhooks/setting.ts'

type Settings = Awaited<ReturnType<typeof readWebhookSettings>>

export const presentSettings = (vaultId: string, settings: Settings, failing: readonly FailingUrl[]) => ({
  id: vaultId,
  redirect_url: settings.redirectUrl,
  trading_fee: settings.tradingFee,
  webhook_url_list: settings.urlList,
  long_retries: settings.longRetries,
  failing_webhook_urls: failing,
  secret_key_present: true,
})
