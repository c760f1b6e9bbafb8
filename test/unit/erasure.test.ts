/** What stays of the body of an event once what it tells of is erased. */
import { describe, expect, test } from 'vitest'
import { erasedPayload } from '../../src/domain/identification/erasure.ts'
import {
  EVENTS,
  type EventName,
  envelopeKey,
  eventBody,
  type GatehouseEvent,
} from '../../src/domain/webhook/events.ts'
import { paymentEvent, settlePayment } from '../../src/domain/webhook/payment.ts'

const id = 'b0000000-0000-4000-8000-000000000001'

/** What Gatehouse itself says in the attributes of its events. */
const SAID: Readonly<Record<string, unknown>> = {
  account_uuid: id,
  identification_uuid: id,
  kyb_uuid: id,
  external_uuid: 'customer-1842',
  external_id: 'company-1842',
  reason_code: 'documents_missing',
  outcome: 'rejected',
  services: 'trades,internal_settlements',
}

const payments = (['fiat', 'blockchain', 'card'] as const).flatMap((kind) =>
  [[], [`${kind}_payments`] as const].map((blocked) =>
    paymentEvent(settlePayment({ id, accountId: id, kind, amount: '10.50', currency: 'EUR' }, blocked)),
  ),
)

function own(name: EventName): object {
  const payment = payments.find((event) => event.name === name)
  if (payment) return payment.attributes
  const { attributes, statuses } = EVENTS[name]
  const said = Object.keys(attributes).map((attribute) => [attribute, SAID[attribute]])
  return { ...Object.fromEntries(said), version: 3, status: statuses[0] }
}

test.each(Object.keys(EVENTS) as GatehouseEvent['name'][])('%s of Gatehouse stays whole', (name) => {
  const attributes = { event_id: id, occurred_at: 1_795_233_626, ...own(name) }
  expect(Object.values(attributes)).not.toContain(undefined)
  const body = eventBody({ name, attributes }, envelopeKey(name))
  expect(erasedPayload(body)).toBe(body)
})

describe('of what the platform says', () => {
  const left = (attributes: object) =>
    JSON.parse(erasedPayload(eventBody({ name: 'payout_failed', attributes }, 'error'))).error

  test('stays what names nobody', () => {
    const attributes = { payout_uuid: id, amount: '10.50', currency: 'EUR', status: 'failed', settled_at: 1 }
    const free = { sender: 'Ada Lovelace', note: null, more: { status: 'failed' }, settled_at: { of: 'Ada' } }
    expect(left({ ...free, ...attributes })).toEqual({ event: 'payout_failed', attributes })
  })
  test('goes what is free under the names of what Gatehouse says', () => {
    const free = {
      message: 'Ada Lovelace is away.',
      reason_code: 'Ada Lovelace',
      outcome: 'Ada Lovelace',
      services: 'trades,Ada Lovelace',
    }
    expect(left(free)).toEqual({ event: 'payout_failed', attributes: {} })
  })
})
