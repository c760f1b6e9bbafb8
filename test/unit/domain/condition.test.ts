/** Tests conditions: on the server, in the page, and in words. */
import { describe, expect, test } from 'vitest'
import {
  type Condition,
  dateAfter,
  dateBefore,
  describeCondition,
  type Facts,
  fieldsIn,
  forPage,
  isMet,
} from '../../../src/domain/fields/condition.ts'

const SCRIPT: string = '../../../src/pages/scripts/condition.js'
const { isMet: isMetInPage } = (await import(SCRIPT)) as {
  isMet: (condition: object, valuesOf: (field: string) => readonly string[]) => boolean
}

const FACTS = { today: '2026-11-28', groups: { EU: ['DE', 'FR'], high_risk: ['IR'] } }
const factsOf = (value: unknown): Facts => ({
  ...FACTS,
  valueAt: (field) => (field === 'x' ? value : undefined),
})
/** Returns the value as the entries of a form. */
const entriesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : String(value ?? '').split(','))
    .map((each) => String(each).trim())
    .filter(Boolean)

/** Each test with the answers that meet it, and the answers that do not. No answer meets a test by being empty. */
const TESTS: readonly (readonly [Condition, readonly unknown[], readonly unknown[]])[] = [
  [{ field: 'x', is: 'other' }, ['other'], ['others', 'Other', undefined, '', null]],
  [{ field: 'x', is: true }, [true], [false, undefined]],
  [{ field: 'x', is: false }, [false], [true, undefined, null]],
  [{ field: 'x', isNot: 'DE' }, ['FR', 'de'], ['DE', undefined, '', ' ']],
  [
    { field: 'x', in: ['CH', 'EU'] },
    ['CH', 'DE', 'FR', 'US,DE', 'US, FR', ['US', 'CH']],
    ['US', 'EU', 'IR', '', undefined, []],
  ],
  [{ field: 'x', in: ['high_risk'] }, ['IR', 'DE,IR'], ['DE', undefined]],
  [{ field: 'x', in: [] }, [], ['DE', undefined]],
  [{ field: 'x', in: ['toString'] }, ['toString'], ['DE', undefined]],
  [{ field: 'x', has: 'ubo' }, [['ubo'], ['director', 'ubo']], [['director'], [], undefined]],
  [{ field: 'x', given: true }, ['a', '0'], ['', '  ', undefined, null]],
  [{ field: 'x', given: false }, ['', '  ', undefined, null], ['a', '0']],
  [
    { field: 'x', at_least: 25 },
    ['25', '25.0', '025', '100', '25.00000000000000000001'],
    ['24.99999999999999999999', '3', '', undefined, 'many', '-30'],
  ],
  [{ field: 'x', at_least: '0.5' }, ['0.5', '0.50', '1'], ['0.49', '0', undefined]],
  [
    { field: 'x', below: 25 },
    ['24.99999999999999999999', '3', '0'],
    ['25', '25.0', '100', '', undefined, 'few'],
  ],
  [
    { field: 'x', below: '12345678901234567890123.5' },
    ['12345678901234567890123.4'],
    ['12345678901234567890123.5'],
  ],
  [
    { field: 'x', older_than: 'P18Y' },
    ['2008-11-28', '1990-01-01'],
    ['2008-11-29', '2026-11-28', '2030-01-01', '', undefined],
  ],
  [{ field: 'x', older_than: 'P3M' }, ['2026-08-28'], ['2026-08-29', undefined]],
  [{ field: 'x', older_than: 'P90D' }, ['2026-08-30'], ['2026-08-31', undefined]],
  [{ all: [] }, ['a', undefined], []],
  [{ any: [] }, [], ['a', undefined]],
  [
    {
      all: [
        { field: 'x', given: true },
        { field: 'x', isNot: 'DE' },
      ],
    },
    ['FR'],
    ['DE', undefined],
  ],
  [
    {
      any: [
        { field: 'x', is: 'DE' },
        { field: 'x', is: 'FR' },
      ],
    },
    ['DE', 'FR'],
    ['US', undefined],
  ],
  [{ not: { field: 'x', is: 'DE' } }, ['FR', undefined], ['DE']],
  [
    { not: { any: [{ not: { field: 'x', in: ['EU'] } }, { field: 'x', is: 'FR' }] } },
    ['DE'],
    ['FR', 'US', undefined],
  ],
]
const CASES = TESTS.flatMap(([condition, met, unmet]) => [
  ...met.map((value) => [condition, value, true] as const),
  ...unmet.map((value) => [condition, value, false] as const),
])
const named = (cases: typeof CASES) =>
  cases.map(
    (each) => [`${JSON.stringify(each[0])} for ${JSON.stringify(each[1])}: ${each[2]}`, ...each] as const,
  )

test.each(named(CASES))('%s', (_, condition, value, expected) => {
  expect(isMet(condition, factsOf(value))).toBe(expected)
  const inPage = forPage(condition, factsOf(value), (field) => field)
  expect(
    isMetInPage(inPage, (field) => (field === 'x' ? entriesOf(value) : [])),
    'in the page',
  ).toBe(expected)
  const decided = forPage(condition, factsOf(value), () => null)
  expect(
    isMetInPage(decided, () => []),
    'decided by the server',
  ).toBe(expected)
  expect(JSON.stringify(decided)).not.toContain('"x"')
})

test('a period that is not one is never over', () => {
  for (const period of ['', 'P', '18Y', 'P-1Y', 'P1.5Y', 'P1W', 'PT1H', 'P99999Y']) {
    expect(dateBefore('2026-11-28', period)).toBeNull()
    expect(isMet({ field: 'x', older_than: period }, factsOf('1900-01-01'))).toBe(false)
  }
})

test.each([
  ['2028-02-29', 'P18Y', '2010-02-28', '2046-02-28'],
  ['2024-02-29', 'P4Y', '2020-02-29', '2028-02-29'],
  ['2026-02-28', 'P18Y', '2008-02-28', '2044-02-28'],
  ['2026-03-01', 'P18Y', '2008-03-01', '2044-03-01'],
  ['2026-05-31', 'P3M', '2026-02-28', '2026-08-31'],
  ['2026-05-31', 'P1M', '2026-04-30', '2026-06-30'],
  ['2026-01-31', 'P1M', '2025-12-31', '2026-02-28'],
  ['2026-12-31', 'P3M', '2026-09-30', '2027-03-31'],
  ['2026-01-31', 'P14M', '2024-11-30', '2027-03-31'],
  ['2026-03-31', 'P31D', '2026-02-28', '2026-05-01'],
  ['2026-01-15', 'P1D', '2026-01-14', '2026-01-16'],
])('from %s, the period %s leads to an existing day: %s before, %s after', (today, period, before, after) => {
  expect([dateBefore(today, period), dateAfter(today, period)]).toEqual([before, after])
})

describe('a condition', () => {
  const condition: Condition = {
    all: [
      { field: 'nature_of_business.website', given: true },
      { any: [{ field: 'roles', has: 'ubo' }, { not: { field: 'country', in: ['EU', 'CH'] } }] },
      { field: 'stake', at_least: 25 },
    ],
  }
  test('names its fields', () => {
    expect(fieldsIn(condition)).toEqual(['nature_of_business.website', 'roles', 'country', 'stake'])
  })
  test('is described in words', () => {
    expect(describeCondition(condition)).toBe(
      '`website` is set and one of these holds: `roles` contains `ubo`; `country` is none of the countries of the EU, `CH` and `stake` is at least 25',
    )
  })
})
