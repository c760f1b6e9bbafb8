/** Tests which parts of an event body remain after an erasure. */
import { describe, expect, test } from 'vitest'
import { paymentEvent, settlePayment } from '../../../src/domain/payment/payment.ts'
import { erasedPayload } from '../../../src/domain/review/erasure.ts'
import {
  EVENTS,
  type EventName,
  envelopeKey,
  eventBody,
  type GatehouseEvent,
} from '../../../src/domain/webhook/events.ts'

const id = 'b0000000-0000-4000-8000-000000000001'

/** Values of the attributes that Gatehouse sets itself. */
const OWN_VALUES: Readonly<Record<string, unknown>> = {
  webhook_url_uuid: id,
  first_failed_at: 1_795_230_000,
  account_uuid: id,
  identification_uuid: id,
  kyb_uuid: id,
  external_uuid: 'customer-1842',
  external_id: 'company-1842',
  reason_code: 'documents_missing',
  outcome: 'rejected',
  services: 'trades,internal_settlements',
  profile_version: 3,
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
  const values = Object.keys(attributes).map((attribute) => [attribute, OWN_VALUES[attribute]])
  return { ...Object.fromEntries(values), version: 3, status: statuses[0] }
}

test.each(Object.keys(EVENTS) as GatehouseEvent['name'][])('keeps the whole body of %s', (name) => {
  const attributes = { event_id: id, occurred_at: 1_795_233_626, ...own(name) }
  expect(Object.values(attributes)).not.toContain(undefined)
  const body = eventBody({ name, attributes }, envelopeKey(name))
  expect(erasedPayload(body)).toBe(body)
})

describe('the body of a platform event', () => {
  const left = (attributes: object) =>
    JSON.parse(erasedPayload(eventBody({ name: 'payout_failed', attributes }, 'error'))).error

  test('keeps IDs, amounts, states and times', () => {
    const attributes = { payout_uuid: id, amount: '10.50', currency: 'EUR', status: 'failed', settled_at: 1 }
    const free = { sender: 'Ada Lovelace', note: null, more: { status: 'failed' }, settled_at: { of: 'Ada' } }
    expect(left({ ...free, ...attributes })).toEqual({ event: 'payout_failed', attributes })
  })
  test('loses free text under the attribute names of Gatehouse', () => {
    const free = {
      message: 'Ada Lovelace has left.',
      reason_code: 'Ada Lovelace',
      outcome: 'Ada Lovelace',
      services: 'trades,Ada Lovelace',
    }
    expect(left(free)).toEqual({ event: 'payout_failed', attributes: {} })
  })
})
