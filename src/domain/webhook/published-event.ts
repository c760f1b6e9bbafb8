/** Events that the platform publishes, besides those that Gatehouse causes. */
import type { Topic } from './events.ts'

export interface PublishedEvent {
  readonly vaultId: string
  readonly topic: Topic
  readonly name: string
  /** Under which key it is sent. */
  readonly key: 'data' | 'error'
  readonly attributes: Readonly<Record<string, unknown>>
  /** The id that the publisher gave it, or null. The same event with the same id is published once. */
  readonly ownId: string | null
}

/** An event that was accepted. */
export interface AcceptedEvent {
  readonly eventId: string
  /** Its deliveries. Empty if the topic has no URLs. */
  readonly webhookLogIds: readonly string[]
}
