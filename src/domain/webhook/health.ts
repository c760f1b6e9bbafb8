/** How the URLs of a vault do: what operators look at if a client misses events. */
import type { Topic } from './events.ts'

/** A URL that has accepted nothing for an hour. */
export interface FailingUrl {
  readonly topic: Topic
  readonly url: string
  readonly failingSince: Date
}

export interface WebhookHealth {
  readonly topic: Topic
  readonly url: string
  /** Within 24 hours, of the newest events of the topic. */
  readonly attempts: number
  readonly accepted: number
  /** Null if the URL accepted the newest attempt, or if there was none. */
  readonly failingSince: Date | null
  /** When the oldest event that the URL has not accepted happened; null if there is none. */
  readonly oldestPendingAt: Date | null
}
