/** Rules for a vault's webhook settings. */
import type { UrlList } from './events.ts'

export interface WebhookSettings {
  readonly urlList: UrlList
  readonly longRetries: boolean
  readonly redirectUrl: string | null
  /** The trading fee, as a decimal fraction. */
  readonly tradingFee: number
  /** When the earlier secret expires, or null if there is only one secret. */
  readonly previousSecretExpiresAt: Date | null
}
