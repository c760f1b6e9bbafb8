/** The catalogue of events: topics, attributes, and the text that is signed and sent. */
import { describe, expect, test } from 'vitest'
import { COMMON_ATTRIBUTES, EVENTS, eventBody, LOG_STATUSES, TOPICS } from '../../src/domain/events.ts'

describe('the catalogue', () => {
  test('topics and log statuses are those of the specification', () => {
    expect([...TOPICS].sort()).toEqual(
      'account blockchain_payment blockchain_wallet card_payment daily_settlement fiat_payment identification manual_review open_banking_transaction_completed ticket transaction_monitoring'.split(
        ' ',
      ),
    )
    expect([...LOG_STATUSES].sort()).toEqual(['completed', 'failed', 'partial', 'pending', 'processing'])
  })
  test('every event belongs to a topic, names its resource by uuid and says when it is sent', () => {
    for (const [name, { topic, emitted, attributes }] of Object.entries(EVENTS)) {
      expect(TOPICS, name).toContain(topic)
      expect(emitted.length, name).toBeGreaterThan(10)
      expect(Object.entries(attributes)[0], name).toEqual([expect.stringMatching(/_uuid$/), 'uuid'])
      for (const common of Object.keys(COMMON_ATTRIBUTES)) expect(attributes, name).not.toHaveProperty(common)
    }
  })
  test('no event carries personal data', () => {
    const names = Object.values(EVENTS).flatMap(({ attributes }) => Object.keys(attributes))
    expect(names.filter((name) => /name|mail|phone|address|birth|document|note|comment/.test(name))).toEqual(
      [],
    )
  })
})

test('the body is the specified envelope, under `error` for failures', () => {
  const event = { name: 'kyb_completed', attributes: { status: 'completed', version: 2 } }
  const inner = '{"event":"kyb_completed","attributes":{"status":"completed","version":2}}'
  expect(eventBody(event)).toBe(`{"data":${inner}}`)
  expect(eventBody(event, 'error')).toBe(`{"error":${inner}}`)
})
