/** The webhook settings of a vault: where its events go. */
import type { UrlList } from './events.ts'

export interface WebhookSettings {
  readonly urlList: UrlList
  readonly longRetries: boolean
  readonly redirectUrl: string | null
  /** A decimal fraction. */
  readonly tradingFee: number
}
