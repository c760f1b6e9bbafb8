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
  /** The possible values of `status`. */
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

export const EVENTS = {
  account_created: {
    topic: 'account',
    sentWhen: 'an account is opened for an identification',
    statuses: ['active', 'locked'],
    attributes: ACCOUNT,
  },
  account_locked: {
    topic: 'account',
    sentWhen: 'an account is fully blocked because its identification is blocked',
    statuses: ['locked'],
    attributes: ACCOUNT,
  },
  account_unlocked: {
    topic: 'account',
    sentWhen: 'an account is restored because its identification is unblocked',
    statuses: ['active'],
    attributes: ACCOUNT,
  },
  identification_created: {
    topic: 'identification',
    sentWhen: 'an identification is created',
    statuses: ['initiated', 'approved'],
    attributes: IDENTIFICATION,
  },
  identification_initiated: {
    topic: 'identification',
    sentWhen: 'more information is requested',
    statuses: ['initiated'],
    attributes: IDENTIFICATION,
  },
  identification_attention: {
    topic: 'identification',
    sentWhen: 'an operator must review an identification',
    statuses: ['attention'],
    attributes: IDENTIFICATION,
  },
  identification_approved: {
    topic: 'identification',
    sentWhen: 'an identification passes verification',
    statuses: ['approved'],
    attributes: IDENTIFICATION,
  },
  identification_rejected: {
    topic: 'identification',
    sentWhen: 'an identification fails verification',
    statuses: ['rejected'],
    attributes: IDENTIFICATION,
  },
  identification_blocked: {
    topic: 'identification',
    sentWhen: 'all services of an identification are blocked',
    statuses: ['blocked'],
    attributes: IDENTIFICATION,
  },
  identification_unblocked: {
    topic: 'identification',
    sentWhen: 'the services of an identification are restored',
    statuses: ['approved'],
    attributes: IDENTIFICATION,
  },
  identification_closed: {
    topic: 'identification',
    sentWhen: 'an identification is closed before its verification finishes',
    statuses: ['closed'],
    attributes: IDENTIFICATION,
  },
  kyb_completed: {
    topic: 'identification',
    sentWhen: 'a KYB application becomes complete, which can happen more than once',
    statuses: ['completed'],
    attributes: KYB,
  },
  kyb_revision_requested: {
    topic: 'identification',
    sentWhen: 'the review requests changes to a KYB application',
    statuses: ['revision_requested'],
    attributes: { ...KYB, reason_code: 'text?' },
  },
  kyb_resubmitted: {
    topic: 'identification',
    sentWhen: 'a KYB application returns to review after the requested changes',
    statuses: ['resubmitted'],
    attributes: KYB,
  },
  kyb_requirements_changed: {
    topic: 'identification',
    sentWhen: 'a KYB application moves to a later version of the vault’s profile',
    statuses: ['requirements_changed'],
    attributes: { ...KYB, profile_version: 'integer' },
  },
  kyb_processed: {
    topic: 'identification',
    sentWhen: 'the review of a KYB application finishes, which locks the application',
    statuses: ['processed'],
    attributes: { ...KYB, outcome: 'text', reason_code: 'text?' },
  },
  services_blocked: {
    topic: 'transaction_monitoring',
    sentWhen: 'an internal hold blocks some services of an account, which stays unlocked',
    statuses: ['blocked'],
    attributes: { ...ACCOUNT, services: 'text' },
  },
  services_unblocked: {
    topic: 'transaction_monitoring',
    sentWhen: 'services that an internal hold blocked are restored',
    statuses: ['active'],
    attributes: { ...ACCOUNT, services: 'text' },
  },
  fiat_payment_received: {
    topic: 'fiat_payment',
    isPublishable: true,
    sentWhen: 'a fiat payment arrives',
    statuses: ['completed'],
    attributes: { fiat_payment_uuid: 'uuid', ...PAYMENT },
  },
  fiat_payment_failed: {
    topic: 'fiat_payment',
    isPublishable: true,
    sentWhen: 'a fiat payment fails',
    statuses: ['failed'],
    error: true,
    attributes: { fiat_payment_uuid: 'uuid', ...PAYMENT, ...FAILURE },
  },
  blockchain_payment_received: {
    topic: 'blockchain_payment',
    isPublishable: true,
    sentWhen: 'an on-chain deposit arrives',
    statuses: ['completed'],
    attributes: { blockchain_payment_uuid: 'uuid', ...PAYMENT },
  },
  blockchain_payment_failed: {
    topic: 'blockchain_payment',
    isPublishable: true,
    sentWhen: 'an on-chain deposit fails',
    statuses: ['failed'],
    error: true,
    attributes: { blockchain_payment_uuid: 'uuid', ...PAYMENT, ...FAILURE },
  },
  card_payment_received: {
    topic: 'card_payment',
    isPublishable: true,
    sentWhen: 'a card payment arrives',
    statuses: ['completed'],
    attributes: { card_payment_uuid: 'uuid', ...PAYMENT },
  },
  card_payment_failed: {
    topic: 'card_payment',
    isPublishable: true,
    sentWhen: 'a card payment fails',
    statuses: ['failed'],
    error: true,
    attributes: { card_payment_uuid: 'uuid', ...PAYMENT, ...FAILURE },
  },
  webhook_failing: {
    topic: 'ticket',
    sentWhen: 'another webhook URL has accepted nothing for an hour',
    statuses: ['failing'],
    attributes: { webhook_url_uuid: 'uuid', first_failed_at: 'timestamp' },
  },
  webhook_recovered: {
    topic: 'ticket',
    sentWhen: 'a failing webhook URL accepts deliveries again',
    statuses: ['active'],
    attributes: { webhook_url_uuid: 'uuid' },
  },
} as const satisfies Record<string, EventEntry>

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
