/** Rules for webhooks: the topics, the events and the request body. */

export const TOPICS = [
  'account',
  'identification',
  'fiat_payment',
  'card_payment',
  'blockchain_payment',
  'blockchain_wallet',
  'open_banking_transaction_completed',
  'daily_settlement',
  'ticket',
  'transaction_monitoring',
  'manual_review',
] as const
export type Topic = (typeof TOPICS)[number]

/** Statuses of deliveries in progress, and of finished ones. */
export const UNFINISHED_STATUSES = ['pending', 'processing'] as const
export const FINAL_STATUSES = ['completed', 'partial', 'failed'] as const
export const LOG_STATUSES = [...UNFINISHED_STATUSES, ...FINAL_STATUSES] as const
export type LogStatus = (typeof LOG_STATUSES)[number]

export const isUnfinished = (status: LogStatus): boolean =>
  (UNFINISHED_STATUSES as readonly LogStatus[]).includes(status)

export type AttributeKind = 'uuid' | 'text' | 'integer' | 'timestamp' | 'amount' | 'currency'

export interface EventEntry {
  readonly topic: Topic
  readonly emitted: string
  /** The possible values of `status`. */
  readonly statuses: readonly string[]
  /** If set, the body has the key `error` instead of `data`, and the attributes include `message`. */
  readonly error?: true
  /** Gatehouse sends all attributes. Publishers may omit those that end in `?`. */
  readonly attributes: Readonly<Record<string, AttributeKind | `${AttributeKind}?`>>
}

/** Attributes of every event. `version` increases with each change of the resource. */
export const COMMON_ATTRIBUTES = {
  event_id: 'uuid',
  occurred_at: 'timestamp',
  version: 'integer',
  status: 'text',
} as const satisfies Record<string, AttributeKind>

const ACCOUNT = { account_uuid: 'uuid', identification_uuid: 'uuid?' } as const
const IDENTIFICATION = { identification_uuid: 'uuid', external_uuid: 'text?' } as const
const KYB = { kyb_uuid: 'uuid', external_id: 'text?', identification_uuid: 'uuid?' } as const
const PAYMENT = { amount: 'amount', currency: 'currency', account_uuid: 'uuid?' } as const
const FAILURE = { reason_code: 'text?', message: 'text' } as const

export const EVENTS = {
  account_created: {
    topic: 'account',
    emitted: 'an account is opened for an identification',
    statuses: ['active', 'locked'],
    attributes: ACCOUNT,
  },
  account_locked: {
    topic: 'account',
    emitted: 'an identification is blocked, which fully blocks the account (one per affected account)',
    statuses: ['locked'],
    attributes: ACCOUNT,
  },
  account_unlocked: {
    topic: 'account',
    emitted: 'an identification is unblocked, which restores the account (one per affected account)',
    statuses: ['active'],
    attributes: ACCOUNT,
  },
  identification_created: {
    topic: 'identification',
    emitted: 'an identification is created',
    statuses: ['initiated', 'approved'],
    attributes: IDENTIFICATION,
  },
  identification_initiated: {
    topic: 'identification',
    emitted: 'more information is requested from the client',
    statuses: ['initiated'],
    attributes: IDENTIFICATION,
  },
  identification_attention: {
    topic: 'identification',
    emitted: 'an identification needs a review by an operator',
    statuses: ['attention'],
    attributes: IDENTIFICATION,
  },
  identification_approved: {
    topic: 'identification',
    emitted: 'the verification of an identification passes',
    statuses: ['approved'],
    attributes: IDENTIFICATION,
  },
  identification_rejected: {
    topic: 'identification',
    emitted: 'the verification of an identification fails',
    statuses: ['rejected'],
    attributes: IDENTIFICATION,
  },
  identification_blocked: {
    topic: 'identification',
    emitted: 'all services of the accounts of an identification are blocked',
    statuses: ['blocked'],
    attributes: IDENTIFICATION,
  },
  identification_unblocked: {
    topic: 'identification',
    emitted: 'the services of an identification are restored',
    statuses: ['approved'],
    attributes: IDENTIFICATION,
  },
  identification_closed: {
    topic: 'identification',
    emitted: 'an identification is closed before its verification finishes',
    statuses: ['closed'],
    attributes: IDENTIFICATION,
  },
  kyb_completed: {
    topic: 'identification',
    emitted: 'a KYB application has all required values',
    statuses: ['completed'],
    attributes: KYB,
  },
  kyb_revision_requested: {
    topic: 'identification',
    emitted: 'the review requests changes to a KYB application',
    statuses: ['revision_requested'],
    attributes: { ...KYB, reason_code: 'text?' },
  },
  kyb_resubmitted: {
    topic: 'identification',
    emitted: 'a KYB application returns to its reviewer after a requested revision',
    statuses: ['resubmitted'],
    attributes: KYB,
  },
  kyb_processed: {
    topic: 'identification',
    emitted: 'the review of a KYB application finishes, which locks the application',
    statuses: ['processed'],
    attributes: { ...KYB, outcome: 'text', reason_code: 'text?' },
  },
  services_blocked: {
    topic: 'transaction_monitoring',
    emitted:
      'an internal case blocks some services of an account, which stays unlocked (one per affected account)',
    statuses: ['blocked'],
    attributes: { ...ACCOUNT, services: 'text' },
  },
  services_unblocked: {
    topic: 'transaction_monitoring',
    emitted: 'services that an internal case blocked are restored (one per affected account)',
    statuses: ['active'],
    attributes: { ...ACCOUNT, services: 'text' },
  },
  fiat_payment_received: {
    topic: 'fiat_payment',
    emitted: 'a fiat payment arrives',
    statuses: ['completed'],
    attributes: { fiat_payment_uuid: 'uuid', ...PAYMENT },
  },
  fiat_payment_failed: {
    topic: 'fiat_payment',
    emitted: 'a fiat payment fails',
    statuses: ['failed'],
    error: true,
    attributes: { fiat_payment_uuid: 'uuid', ...PAYMENT, ...FAILURE },
  },
  blockchain_payment_received: {
    topic: 'blockchain_payment',
    emitted: 'an on-chain deposit arrives',
    statuses: ['completed'],
    attributes: { blockchain_payment_uuid: 'uuid', ...PAYMENT },
  },
  blockchain_payment_failed: {
    topic: 'blockchain_payment',
    emitted: 'an on-chain deposit fails',
    statuses: ['failed'],
    error: true,
    attributes: { blockchain_payment_uuid: 'uuid', ...PAYMENT, ...FAILURE },
  },
  card_payment_received: {
    topic: 'card_payment',
    emitted: 'a card payment arrives',
    statuses: ['completed'],
    attributes: { card_payment_uuid: 'uuid', ...PAYMENT },
  },
  card_payment_failed: {
    topic: 'card_payment',
    emitted: 'a card payment fails',
    statuses: ['failed'],
    error: true,
    attributes: { card_payment_uuid: 'uuid', ...PAYMENT, ...FAILURE },
  },
} as const satisfies Record<string, EventEntry>

export type EventName = keyof typeof EVENTS

/** The name of an event that a user sends to one URL to test it. It has no topic. */
export const TEST_EVENT = 'webhook_test'

/** Returns the catalogue entry of an event, or null if there is none. */
export const entryOf = (name: string): EventEntry | null =>
  Object.hasOwn(EVENTS, name) ? EVENTS[name as EventName] : null

/** Topics whose events are all in the catalogue. Other topics can also carry events that the platform defines. */
export const CLOSED_TOPICS: readonly Topic[] = ['identification']

export type UrlList = Partial<Record<Topic, string[]>>

/** The fallback topic, whose URLs apply if a topic has none. */
export const FALLBACK_TOPICS: Partial<Record<Topic, Topic>> = { card_payment: 'fiat_payment' }

/** Returns the URLs for events of the topic, and the topic to which they belong. The log shows that topic. */
export function destinationOf(topic: Topic, urlList: UrlList): { topic: Topic; urls: string[] } {
  const urls = urlList[topic] ?? []
  const fallback = FALLBACK_TOPICS[topic]
  return urls.length === 0 && fallback ? destinationOf(fallback, urlList) : { topic, urls }
}

type Value<K> = K extends 'integer' | 'timestamp' ? number : string
type OwnAttributes<N extends EventName> = {
  [A in keyof (typeof EVENTS)[N]['attributes']]: Value<(typeof EVENTS)[N]['attributes'][A]>
}

/** An event without `event_id` and `occurred_at`, which Gatehouse adds when it stores the event. */
export type GatehouseEvent = {
  [N in EventName]: {
    readonly name: N
    readonly attributes: OwnAttributes<N> & { version: number; status: string }
  }
}[EventName]

type EnvelopeKey = 'data' | 'error'

export const envelopeKey = (name: EventName): EnvelopeKey => (entryOf(name)?.error ? 'error' : 'data')

/** Returns the exact text that is signed and sent (specification, "Delivery format"). */
export function eventBody(event: { name: string; attributes: object }, key: EnvelopeKey = 'data'): string {
  return JSON.stringify({ [key]: { event: event.name, attributes: event.attributes } })
}

/** Returns the ID of the event in a body of `eventBody`. All deliveries of an event have the same ID. */
export function eventIdOf(body: string): string {
  const { data, error } = JSON.parse(body) as Record<string, { attributes: { event_id: string } } | undefined>
  return (data ?? error)?.attributes.event_id ?? ''
}
