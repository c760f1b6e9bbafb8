/** Rules for the topics, events and request bodies of webhooks. */
import type { Topic } from '../base/topics.ts'

/** The statuses of unfinished deliveries, of finished deliveries, and of both. */
export const UNFINISHED_STATUSES = ['pending', 'processing'] as const
export const FINAL_STATUSES = ['completed', 'partial', 'failed'] as const
export const LOG_STATUSES = [...UNFINISHED_STATUSES, ...FINAL_STATUSES] as const
export type LogStatus = (typeof LOG_STATUSES)[number]
/** The status in the database. A delivery that is `waiting` in the queue of its URL appears as `pending`. */
export type StoredStatus = LogStatus | 'waiting'

export const shownStatus = (status: StoredStatus): LogStatus => (status === 'waiting' ? 'pending' : status)
/** Returns the stored statuses that appear as this status. */
export const storedStatuses = (status: LogStatus): readonly StoredStatus[] =>
  status === 'pending' ? ['pending', 'waiting'] : [status]

export const isUnfinished = (status: LogStatus): boolean =>
  (UNFINISHED_STATUSES as readonly LogStatus[]).includes(status)

export type AttributeKind = 'uuid' | 'text' | 'integer' | 'timestamp' | 'amount' | 'currency'

export interface EventEntry {
  readonly topic: Topic
  readonly sentWhen: string
  readonly statuses: readonly string[]
  /** If true, the platform publishes the event. All other events come only from transitions in Gatehouse. */
  readonly isPublishable?: true
  /** If true, the body has the key `error` instead of `data`, and the attributes include `message`. */
  readonly error?: true
  /** The attributes. Gatehouse sends all of them. Publishers may omit those whose type ends in `?`. */
  readonly attributes: Readonly<Record<string, AttributeKind | `${AttributeKind}?`>>
}

/** The attributes of every event. `version` increases with each change to the resource. */
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

type Attributes = EventEntry['attributes']

/** Returns a function that creates the entries of events with the same topic and attributes. */
const eventsOf =
  <T extends Topic, A extends Attributes>(topic: T, attributes: A) =>
  (sentWhen: string, ...statuses: readonly string[]) => ({ topic, sentWhen, statuses, attributes })

const accountEvent = eventsOf('account', ACCOUNT)
const serviceEvent = eventsOf('transaction_monitoring', { ...ACCOUNT, services: 'text' } as const)
const identificationEvent = eventsOf('identification', IDENTIFICATION)
const kybEvent = eventsOf('identification', KYB)

const paymentReceived = <T extends Topic, A extends Attributes>(topic: T, id: A, sentWhen: string) => ({
  ...eventsOf(topic, { ...id, ...PAYMENT })(sentWhen, 'completed'),
  isPublishable: true as const,
})
const paymentFailed = <T extends Topic, A extends Attributes>(topic: T, id: A, sentWhen: string) => ({
  ...eventsOf(topic, { ...id, ...PAYMENT, ...FAILURE })(sentWhen, 'failed'),
  isPublishable: true as const,
  error: true as const,
})
const FIAT = { fiat_payment_uuid: 'uuid' } as const
const BLOCKCHAIN = { blockchain_payment_uuid: 'uuid' } as const
const CARD = { card_payment_uuid: 'uuid' } as const

export const EVENTS = {
  account_created: accountEvent('an account is opened for an identification', 'active', 'locked'),
  account_locked: accountEvent('an account is fully blocked because its identification is blocked', 'locked'),
  account_unlocked: accountEvent('an account is restored because its identification is unblocked', 'active'),
  identification_created: identificationEvent('an identification is created', 'initiated', 'approved'),
  identification_initiated: identificationEvent('more information is requested', 'initiated'),
  identification_attention: identificationEvent('an operator must review an identification', 'attention'),
  identification_approved: identificationEvent('an identification passes verification', 'approved'),
  identification_rejected: identificationEvent('an identification fails verification', 'rejected'),
  identification_blocked: identificationEvent('all services of an identification are blocked', 'blocked'),
  identification_unblocked: identificationEvent('the services of an identification are restored', 'approved'),
  identification_closed: identificationEvent(
    'an identification is closed before its verification finishes',
    'closed',
  ),
  kyb_completed: kybEvent('a KYB application becomes complete, which can happen more than once', 'completed'),
  kyb_revision_requested: eventsOf('identification', { ...KYB, reason_code: 'text?' } as const)(
    'the review requests changes to a KYB application',
    'revision_requested',
  ),
  kyb_resubmitted: kybEvent('a KYB application returns to review after the requested changes', 'resubmitted'),
  kyb_requirements_changed: eventsOf('identification', { ...KYB, profile_version: 'integer' } as const)(
    'a KYB application moves to a later version of the vault’s profile',
    'requirements_changed',
  ),
  kyb_processed: eventsOf('identification', { ...KYB, outcome: 'text', reason_code: 'text?' } as const)(
    'the review of a KYB application finishes, which locks the application',
    'processed',
  ),
  services_blocked: serviceEvent(
    'an internal hold blocks some services of an account, which stays unlocked',
    'blocked',
  ),
  services_unblocked: serviceEvent('services that an internal hold blocked are restored', 'active'),
  fiat_payment_received: paymentReceived('fiat_payment', FIAT, 'a fiat payment arrives'),
  fiat_payment_failed: paymentFailed('fiat_payment', FIAT, 'a fiat payment fails'),
  blockchain_payment_received: paymentReceived(
    'blockchain_payment',
    BLOCKCHAIN,
    'an on-chain deposit arrives',
  ),
  blockchain_payment_failed: paymentFailed('blockchain_payment', BLOCKCHAIN, 'an on-chain deposit fails'),
  card_payment_received: paymentReceived('card_payment', CARD, 'a card payment arrives'),
  card_payment_failed: paymentFailed('card_payment', CARD, 'a card payment fails'),
  webhook_failing: eventsOf('ticket', { webhook_url_uuid: 'uuid', first_failed_at: 'timestamp' } as const)(
    'another webhook URL has accepted nothing for an hour',
    'failing',
  ),
  webhook_recovered: eventsOf('ticket', { webhook_url_uuid: 'uuid' } as const)(
    'a failing webhook URL accepts deliveries again',
    'active',
  ),
} satisfies Record<string, EventEntry>

export type EventName = keyof typeof EVENTS

/** The name of the event that a user sends to test a URL. The event has no topic. */
export const TEST_EVENT = 'webhook_test'

/** Returns the catalogue entry of an event, or null if there is none. */
export const entryOf = (name: string): EventEntry | null =>
  Object.hasOwn(EVENTS, name) ? EVENTS[name as EventName] : null

/** The topics to which only Gatehouse sends events. In all other topics, the platform can publish its own events. */
const CLOSED_TOPICS: readonly Topic[] = ['identification']
/** Receivers could mistake events with these prefixes for the result of a review. */
const RESERVED_NAME = /^(identification|kyb)_/

/** Returns whether only Gatehouse may send the event. */
export const isReserved = (topic: Topic, name: string): boolean => {
  const entry = entryOf(name)
  if (entry) return !entry.isPublishable
  return CLOSED_TOPICS.includes(topic) || isNameReserved(name)
}

/** Returns whether the platform cannot publish an event of its own with this name. */
export const isNameReserved = (name: string): boolean => RESERVED_NAME.test(name) || name === TEST_EVENT

export type UrlList = Partial<Record<Topic, string[]>>

/** The fallback topic of each topic. The URLs of the fallback topic apply if the topic itself has none. */
export const FALLBACK_TOPICS: Partial<Record<Topic, Topic>> = { card_payment: 'fiat_payment' }

/**
 * Returns the URLs for events of the topic, and the topic to which these URLs belong, which is the topic that the log
 * shows.
 */
export function destinationOf(topic: Topic, urlList: UrlList): { topic: Topic; urls: string[] } {
  const urls = urlList[topic] ?? []
  const fallback = FALLBACK_TOPICS[topic]
  return urls.length === 0 && fallback ? destinationOf(fallback, urlList) : { topic, urls }
}

type Value<K> = K extends 'integer' | 'timestamp' ? number : string
type OwnAttributes<N extends EventName> = {
  [A in keyof (typeof EVENTS)[N]['attributes']]: Value<(typeof EVENTS)[N]['attributes'][A]>
}

/** An event that Gatehouse sends. `event_id` and `occurred_at` are added when the event is stored. */
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

interface EventBody {
  readonly event: string
  readonly attributes: { readonly event_id: string }
}

/** Returns the parsed body that `eventBody` created, with the name and the ID of its event. */
export function readEventBody(text: string) {
  const body = JSON.parse(text) as Partial<Record<EnvelopeKey, EventBody>>
  const event = body.data ?? body.error
  return { body, name: event?.event ?? '', id: event?.attributes.event_id ?? '' }
}

/**
 * Returns the ID of the event in a body that `eventBody` created. All deliveries of an event contain the same event ID.
 */
export const eventIdOf = (body: string): string => readEventBody(body).id
