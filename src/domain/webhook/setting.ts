/** Rules for a vault's webhook settings. */
import type { UrlList } from './events.ts'

export interface WebhookSettings {
  readonly urlList: UrlList
  readonly longRetries: boolean
  readonly redirectUrl: string | null
  /** A decimal fraction. */
  readonly tradingFee: number
  /** When the earlier secret expires, or null if there is only one. */
  readonly previousSecretExpiresAt: Date | null
}
