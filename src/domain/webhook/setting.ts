/** The webhook settings of a vault: where its events go. */
import type { UrlList } from './events.ts'

export interface WebhookSettings {
  readonly urlList: UrlList
  readonly longRetries: boolean
  readonly redirectUrl: string | null
  /** A decimal fraction. */
  readonly tradingFee: number
  /** When the earlier secret stops signing; null if only one signs. */
  readonly previousSecretExpiresAt: Date | null
}
