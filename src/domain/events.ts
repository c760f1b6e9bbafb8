/** The catalogue of webhook topics and events, and the body that is sent for an event. */

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

export const LOG_STATUSES = ['pending', 'processing', 'completed', 'partial', 'failed'] as const
export type LogStatus = (typeof LOG_STATUSES)[number]

type AttributeKind = 'uuid' | 'text' | 'integer' | 'timestamp'

interface EventEntry {
  readonly topic: Topic
  readonly emitted: string
  readonly attributes: Readonly<Record<string, AttributeKind>>
}

/** Attributes that every event carries beside its own; `version` rises with each change of the resource. */
export const COMMON_ATTRIBUTES = {
  event_id: 'uuid',
  occurred_at: 'timestamp',
  version: 'integer',
  status: 'text',
} as const satisfies Record<string, AttributeKind>

const ACCOUNT = { account_uuid: 'uuid', identification_uuid: 'uuid' } as const
const IDENTIFICATION = { identification_uuid: 'uuid', external_uuid: 'text' } as const

export const EVENTS = {
  account_created: {
    topic: 'account',
    emitted: 'an account is opened for an identification',
    attributes: ACCOUNT,
  },
  account_locked: {
    topic: 'account',
    emitted: 'an account becomes fully blocked, with its identification (one per affected account)',
    attributes: ACCOUNT,
  },
  account_unlocked: {
    topic: 'account',
    emitted: 'an account is free again, with its identification (one per affected account)',
    attributes: ACCOUNT,
  },
  identification_created: {
    topic: 'identification',
    emitted: 'an identification is created',
    attributes: IDENTIFICATION,
  },
  identification_initiated: {
    topic: 'identification',
    emitted: 'more information is requested from the client',
    attributes: IDENTIFICATION,
  },
  identification_attention: {
    topic: 'identification',
    emitted: 'an operator has to look at it',
    attributes: IDENTIFICATION,
  },
  identification_approved: {
    topic: 'identification',
    emitted: 'the verification passed',
    attributes: IDENTIFICATION,
  },
  identification_rejected: {
    topic: 'identification',
    emitted: 'the verification failed',
    attributes: IDENTIFICATION,
  },
  identification_blocked: {
    topic: 'identification',
    emitted: 'all services of its accounts are blocked',
    attributes: IDENTIFICATION,
  },
  identification_unblocked: {
    topic: 'identification',
    emitted: 'its services are restored',
    attributes: IDENTIFICATION,
  },
  identification_closed: {
    topic: 'identification',
    emitted: 'it was closed before its verification finished',
    attributes: IDENTIFICATION,
  },
  kyb_completed: {
    topic: 'identification',
    emitted: 'nothing required is missing any more from a KYB application',
    attributes: { kyb_uuid: 'uuid', external_id: 'text', identification_uuid: 'uuid' },
  },
  kyb_revision_requested: {
    topic: 'identification',
    emitted: 'the review asks the client to mend a KYB application',
    attributes: { kyb_uuid: 'uuid', external_id: 'text', identification_uuid: 'uuid', reason_code: 'text' },
  },
  kyb_processed: {
    topic: 'identification',
    emitted: 'the review of a KYB application is finished and the application locked',
    attributes: {
      kyb_uuid: 'uuid',
      external_id: 'text',
      identification_uuid: 'uuid',
      outcome: 'text',
      reason_code: 'text',
    },
  },
} as const satisfies Record<string, EventEntry>

export type EventName = keyof typeof EVENTS

type Value<K> = K extends 'integer' | 'timestamp' ? number : string
type OwnAttributes<N extends EventName> = {
  [A in keyof (typeof EVENTS)[N]['attributes']]: Value<(typeof EVENTS)[N]['attributes'][A]>
}

/** An event as the code that causes it states it; `event_id` and `occurred_at` are added on writing. */
export type GatehouseEvent = {
  [N in EventName]: {
    readonly name: N
    readonly attributes: OwnAttributes<N> & { version: number; status: string }
  }
}[EventName]

/** The exact text that is signed and sent (specification, "Delivery format"). */
export function eventBody(
  event: { name: string; attributes: object },
  key: 'data' | 'error' = 'data',
): string {
  return JSON.stringify({ [key]: { event: event.name, attributes: event.attributes } })
}
