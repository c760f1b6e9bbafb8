/** Tests the validation of events that the platform publishes. */
import { describe, expect, test } from 'vitest'
import { publishEventsBody } from '../../../src/contracts/event.ts'
import { problemsOf } from '../../../src/contracts/problems.ts'
import { TOPICS } from '../../../src/domain/base/topics.ts'
import { EVENTS, type EventEntry, entryOf, TEST_EVENT } from '../../../src/domain/webhook/events.ts'

const UUID = '018f0000-0000-7000-8000-000000000000'
const EXAMPLES = { uuid: UUID, text: 'words', integer: 1, timestamp: 1, amount: '10.50', currency: 'EUR' }
const ticket = { vault_id: UUID, topic: 'ticket', event: 'ticket_opened', attributes: {} as object }
const payment = {
  ...ticket,
  topic: 'fiat_payment',
  event: 'fiat_payment_received',
  attributes: { fiat_payment_uuid: UUID, amount: '10.50', currency: 'EUR', status: 'completed' },
}

/** Returns `field code` for each problem. */
function problemsIn(value: unknown): string[] {
  const { error } = publishEventsBody.safeParse(value, { reportInput: true })
  return error ? problemsOf(error).map(({ field = '', code }) => `${field} ${code}`) : []
}

/** Returns example values for an event's required attributes. */
function attributesFor(name: string): object {
  const kinds = Object.entries(entryOf(name)?.attributes ?? {})
  const needed = kinds.filter(([, kind]) => !kind.endsWith('?'))
  return {
    status: 'any',
    ...Object.fromEntries(needed.map(([key, kind]) => [key, EXAMPLES[kind as keyof typeof EXAMPLES]])),
  }
}

describe('validation of catalogue events', () => {
  const published = Object.entries<EventEntry>(EVENTS).filter(([, { isPublishable }]) => isPublishable)
  test.each(published)('accepts %s with its required attributes', (event, { topic }) => {
    const body = { vault_id: UUID, topic, event, attributes: attributesFor(event) }
    const key = entryOf(event)?.error ? 'error' : 'data'
    expect(publishEventsBody.parse(body)).toEqual({ ...body, key })
  })
  test.each(published)('names every missing attribute of %s', (event, { topic }) => {
    expect(problemsIn({ vault_id: UUID, topic, event, attributes: {} }).sort()).toEqual(
      Object.keys(attributesFor(event))
        .map((name) => `attributes.${name} required`)
        .sort(),
    )
  })
  test('keeps additional attributes in the order sent', () => {
    const attributes = { reference: 'R1', ...payment.attributes, event_id: UUID, occurred_at: 5, version: 7 }
    const parsed = publishEventsBody.parse({ ...payment, attributes })
    expect(JSON.stringify(parsed)).toContain(JSON.stringify(attributes))
  })
  test('requires the topic of the event', () => {
    expect(problemsIn({ ...payment, topic: 'card_payment' })).toEqual(['topic invalid'])
  })
  test('uses the catalogue’s error key, and refuses a different one', () => {
    expect(problemsIn({ ...payment, error: true })).toEqual(['error invalid'])
    const attributes = { ...payment.attributes, message: 'The bank refused it.' }
    const failed = { ...payment, event: 'fiat_payment_failed', attributes }
    expect(publishEventsBody.parse(failed)).toMatchObject({ key: 'error' })
    expect(publishEventsBody.parse({ ...failed, error: true })).toMatchObject({ key: 'error' })
    expect(problemsIn({ ...failed, error: false })).toEqual(['error invalid'])
  })
  test.each([
    ['amount', [10.5, '-1', '1e3', '', ' 1', `1${'0'.repeat(18)}`, `0.${'1'.repeat(19)}`]],
    ['currency', ['eur', 'E', '€', 978]],
    ['fiat_payment_uuid', ['1', 1, null]],
    ['status', ['', 5]],
    ['event_id', ['x']],
    ['occurred_at', [-1, '5', 1.5]],
  ])('refuses invalid values of %s: %j', (name, values) => {
    for (const value of values) {
      const [problem, ...more] = problemsIn({
        ...payment,
        attributes: { ...payment.attributes, [name]: value },
      })
      expect(problem, String(value)).toMatch(new RegExp(`^attributes\\.${name} (invalid|required)$`))
      expect(more).toEqual([])
    }
  })
})

describe('validation of events that the platform defines', () => {
  const open = TOPICS.filter((topic) => topic !== 'identification')
  test.each(open)('accepts any name and attributes in %s', (topic) => {
    const event = { ...ticket, topic, event: 'a_thing_2', attributes: { deep: [{ a: null }] } }
    expect(publishEventsBody.parse(event)).toEqual({ ...event, key: 'data' })
  })
  const own = Object.keys(EVENTS).filter((name) => !/_payment_(received|failed)$/.test(name))
  const invented = ['kyb_approved', 'kyb_', 'identification_verified', TEST_EVENT]
  test.each([...own, ...invented])('refuses %s in every topic, because only Gatehouse sends it', (event) => {
    for (const topic of TOPICS)
      for (const error of [undefined, false, true]) {
        const problems = problemsIn({ ...ticket, topic, event, error })
        expect(problems, topic).toContain('event invalid')
      }
  })
  test('repeats no long name for each invalid value below it', () => {
    const attributes = { ['a'.repeat(500_000)]: Array(19_000).fill('\u200b') }
    const problems = problemsIn({ ...ticket, attributes })
    expect([problems.length, problems[0]]).toEqual([19_000, `attributes.${'a'.repeat(100)}.0 invalid`])
  })
  test('accepts no event in the topic of identifications', () => {
    expect(problemsIn({ ...ticket, topic: 'identification' })).toEqual(['event invalid'])
  })
  test('requires a message under error', () => {
    expect(problemsIn({ ...ticket, error: true })).toEqual(['attributes.message required'])
    const attributes = { message: 'It failed.' }
    expect(publishEventsBody.parse({ ...ticket, error: true, attributes })).toMatchObject({ key: 'error' })
  })
  test.each(['', 'Ticket', '1st', 'a-b', `a${'b'.repeat(64)}`, 'constructor '])(
    'refuses the name %j',
    (event) => {
      expect(problemsIn({ ...ticket, event })).toEqual(['event invalid'])
    },
  )
  test('accepts the name of an object property', () => {
    expect(problemsIn({ ...ticket, event: 'constructor' })).toEqual([])
  })
  test('refuses values that JSON would change', () => {
    const sent = (json: string) =>
      problemsIn({ ...ticket, attributes: JSON.parse(`{"status":"open",${json}}`) })
    expect(sent('"a":[{"b":9007199254740991}],"c":-9007199254740991,"d":0.1,"e":1e15')).toEqual([])
    expect(sent('"a":[{"b":9007199254740993}],"c":-1e400,"version":1e20')).toEqual([
      'attributes.a.0.b invalid',
      'attributes.c invalid',
      'attributes.version invalid',
    ])
    expect(sent('"__proto__":1,"a":{"__proto__":{}}')).toEqual([
      'attributes.__proto__ invalid',
      'attributes.a.__proto__ invalid',
    ])
    expect(problemsIn({ ...ticket, attributes: undefined })).toEqual(['attributes required'])
  })
  test.each(['\u0000', 'a\u0000b', '\ud800', 'a\udc00', '\udfff\ud800', '\u001b[31m', '\u0085', '\u007f'])(
    'refuses %j in values and in names, as everywhere else',
    (text) => {
      const invalid = (at: string) => [`attributes.${at} invalid`]
      expect(problemsIn({ ...ticket, attributes: { note: text } })).toEqual(invalid('note'))
      expect(problemsIn({ ...ticket, attributes: { a: [{ b: ['x', text] }] } })).toEqual(invalid('a.0.b.1'))
      expect(problemsIn({ ...ticket, attributes: { [text]: 'x' } })).toEqual(invalid(text))
      expect(problemsIn({ ...ticket, attributes: { a: { [text]: { b: 1 } } } })).toEqual(invalid(`a.${text}`))
    },
  )
  test.each(['line\nbreak', 'tab\t', 'Grüße', '設立', '\u{1f600}', 'e\u0301', ''])(
    'accepts %j in values',
    (text) => {
      expect(problemsIn({ ...ticket, attributes: { note: text, a: [text] } })).toEqual([])
    },
  )
  test('limits the depth and the size of attributes', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })
    expect(problemsIn({ ...ticket, attributes: nested(8) })).toEqual([])
    expect(problemsIn({ ...ticket, attributes: nested(9) })).toEqual(['attributes invalid'])
    const sized = (text: string) => ({ ...ticket, attributes: { text } })
    const brackets = '{"text":""}'.length
    expect(problemsIn(sized('x'.repeat(65_536 - brackets)))).toEqual([])
    expect(problemsIn(sized('x'.repeat(65_537 - brackets)))).toEqual(['attributes invalid'])
    expect(problemsIn(sized('ü'.repeat(40_000)))).toEqual(['attributes invalid'])
  })
})

describe('validation of single events and lists', () => {
  test('returns every problem of every event with its position', () => {
    const many = [ticket, { ...payment, vault_id: 'x', attributes: {}, more: 1 }, 5]
    expect(problemsIn(many)).toEqual([
      '1.vault_id invalid',
      '1.more unknown_field',
      '1.attributes.status required',
      '1.attributes.fiat_payment_uuid required',
      '1.attributes.amount required',
      '1.attributes.currency required',
      '2 invalid',
    ])
    expect(problemsIn({})).toEqual(['vault_id', 'topic', 'event', 'attributes'].map((at) => `${at} required`))
  })
  test('accepts 1 to 500 events in one call', () => {
    expect(publishEventsBody.parse(Array(500).fill(ticket))).toHaveLength(500)
    expect(problemsIn(Array(501).fill(ticket))).toEqual([' too_many'])
    expect(problemsIn([])).toEqual([' invalid'])
  })
  test.each([null, 5, 'x', true])('refuses %j as an event', (value) => {
    expect(problemsIn(value)).toEqual([' invalid'])
  })
})
