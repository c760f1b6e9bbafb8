/** Rules for events that the platform publishes. */
import type { Topic } from '../base/topics.ts'

export interface PublishedEvent {
  readonly vaultId: string
  readonly topic: Topic
  readonly name: string
  /** The top-level key of the webhook body. */
  readonly key: 'data' | 'error'
  readonly attributes: Readonly<Record<string, unknown>>
  /** The publisher's ID, or null. An event with the same ID and content is published only once. */
  readonly ownId: string | null
}

export interface AcceptedEvent {
  readonly eventId: string
  /** The IDs of the event's deliveries. Empty if the topic has no URLs. */
  readonly webhookLogIds: readonly string[]
}
