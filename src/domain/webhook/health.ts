/** Rules for the health of webhook URLs. */
import type { Topic } from './events.ts'

/** A URL that has accepted no delivery for an hour. */
export interface FailingUrl {
  readonly topic: Topic
  readonly url: string
  readonly failingSince: Date
}

export interface WebhookHealth {
  readonly topic: Topic
  readonly url: string
  /** Attempts in the last 24 hours, for the topic's newest events. */
  readonly attempts: number
  readonly accepted: number
  /** Null if the URL accepted the latest attempt, or if there was none. */
  readonly failingSince: Date | null
  /** The time of the oldest event that the URL has not accepted, or null. */
  readonly oldestPendingAt: Date | null
}
