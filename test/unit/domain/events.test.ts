/** Tests the event catalogue: topics, attributes, destinations and the signed body. */
import { describe, expect, test } from 'vitest'
import { TOPICS } from '../../../src/domain/base/topics.ts'
import {
  COMMON_ATTRIBUTES,
  destinationOf,
  EVENTS,
  type EventName,
  entryOf,
  envelopeKey,
  eventBody,
  LOG_STATUSES,
} from '../../../src/domain/webhook/events.ts'

describe('the catalogue', () => {
  test('has the topics and log statuses of the specification', () => {
    expect([...TOPICS].sort()).toEqual(
      'account blockchain_payment blockchain_wallet card_payment daily_settlement fiat_payment identification manual_review open_banking_transaction_completed ticket transaction_monitoring'.split(
        ' ',
      ),
    )
    expect([...LOG_STATUSES].sort()).toEqual(['completed', 'failed', 'partial', 'pending', 'processing'])
  })
  test('has a topic, a resource UUID and a description for every event', () => {
    for (const [name, { topic, sentWhen, attributes }] of Object.entries(EVENTS)) {
      expect(TOPICS, name).toContain(topic)
      expect(sentWhen.length, name).toBeGreaterThan(10)
      expect(Object.entries(attributes)[0], name).toEqual([expect.stringMatching(/_uuid$/), 'uuid'])
      for (const common of Object.keys(COMMON_ATTRIBUTES)) expect(attributes, name).not.toHaveProperty(common)
    }
  })
  test('has the events of the specification with their topics and keys', () => {
    const specified = {
      account_locked: 'account data',
      account_unlocked: 'account data',
      fiat_payment_received: 'fiat_payment data',
      fiat_payment_failed: 'fiat_payment error',
      blockchain_payment_received: 'blockchain_payment data',
    }
    for (const [name, expected] of Object.entries(specified)) {
      expect(`${entryOf(name)?.topic} ${envelopeKey(name as EventName)}`, name).toBe(expected)
    }
  })
  test('has a message for events under error, and for no others', () => {
    for (const name of Object.keys(EVENTS)) {
      expect('message' in (entryOf(name)?.attributes ?? {}), name).toBe(entryOf(name)?.error ?? false)
    }
  })
  test('has no personal data', () => {
    const names = Object.values(EVENTS).flatMap(({ attributes }) => Object.keys(attributes))
    expect(names.filter((name) => /name|mail|phone|address|birth|document|note|comment/.test(name))).toEqual(
      [],
    )
  })
})

test('puts the body into the specified envelope, under `error` for failures', () => {
  const event = { name: 'kyb_completed', attributes: { status: 'completed', version: 2 } }
  const inner = '{"event":"kyb_completed","attributes":{"status":"completed","version":2}}'
  expect(eventBody(event)).toBe(`{"data":${inner}}`)
  expect(eventBody(event, 'error')).toBe(`{"error":${inner}}`)
})

describe('the destinations of events', () => {
  const [card, fiat] = [['https://card.example'], ['https://fiat.example']]
  test.each([
    ['card URLs if there are any', { card_payment: card, fiat_payment: fiat }, 'card_payment', card],
    ['fiat URLs otherwise', { fiat_payment: fiat }, 'fiat_payment', fiat],
    [
      'fiat URLs if the card URLs were removed',
      { card_payment: [], fiat_payment: fiat },
      'fiat_payment',
      fiat,
    ],
    ['no URL if neither exists', { blockchain_payment: card }, 'fiat_payment', []],
  ] as const)('are, for card events, %s', (_, urlList, topic, urls) => {
    const list = Object.fromEntries(Object.entries(urlList).map(([name, some]) => [name, [...some]]))
    expect(destinationOf('card_payment', list)).toEqual({ topic, urls: [...urls] })
  })
  test.each(TOPICS.filter((topic) => topic !== 'card_payment'))('are only its own URLs for %s', (topic) => {
    const others = Object.fromEntries(
      TOPICS.map((name) => [name, name === topic ? [] : ['https://x.example']]),
    )
    expect(destinationOf(topic, others)).toEqual({ topic, urls: [] })
    expect(destinationOf(topic, { [topic]: fiat })).toEqual({ topic, urls: fiat })
  })
})
