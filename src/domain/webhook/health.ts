/** Rules for the health of webhook URLs. */
import type { Topic } from '../base/topics.ts'

/** A URL that has accepted no delivery for an hour. */
export interface FailingUrl {
  readonly topic: Topic
  readonly url: string
  readonly failingSince: Date
}

export interface WebhookHealth {
  /** The ID of the URL in its vault. */
  readonly id: string
  readonly topic: Topic
  readonly url: string
  /** The number of attempts in the last 24 hours, for the newest events of the topic. */
  readonly attempts: number
  readonly accepted: number
  /** When the URL began to fail. Null if it accepted the latest attempt, or if there was none. */
  readonly failingSince: Date | null
  /** The time of the oldest event that the URL has not accepted, or null if there is none. */
  readonly oldestPendingAt: Date | null
}
