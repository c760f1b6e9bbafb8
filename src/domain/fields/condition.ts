/**
 * Rules for conditions on answers, which are data. They are evaluated here and in the page (`conditional.js`), and
 * described in words. No test is met by an empty answer, apart from `given: false`.
 */
import { oncePer, oncePerText } from '../base/once-per.ts'
import type { HasFormat } from './formats.ts'
import { isGiven } from './given.ts'

/** The tests of one answer. A field of an application is named by its path, and a field of a person by its name. */
interface Tests {
  /** The answer is this value. */
  readonly is: string | boolean
  /** The answer is another value. */
  readonly isNot: string | boolean
  /** The answer, or one entry of its list, is one of these values or belongs to one of these groups of countries. */
  readonly in: readonly string[]
  /** The answer is a list with this entry. */
  readonly has: string
  /** There is an answer, or there is none. */
  readonly given: boolean
  /** The answer is this number or more. */
  readonly at_least: string | number
  /** The answer is less than this number. */
  readonly below: string | number
  /** The answer is a date that lies this period or longer in the past, such as `P18Y`, `P3M` or `P90D`. */
  readonly older_than: string
}

export type TestName = keyof Tests
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | { [T in TestName]: { readonly field: string } & Readonly<Record<T, Tests[T]>> }[TestName]

/**
 * The maximum nesting of a condition, the maximum number of its parts on one level and of the values of a test, and the
 * maximum number of tests in all conditions of a profile.
 */
export const CONDITION_LIMITS = { depth: 5, parts: 20, values: 300, tests: 1_000 } as const

/** Returns whether the value is a short text without control characters and lone surrogates. */
const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 200 && !/[\p{Cc}\p{Cs}]/u.test(value)
const isNumber = (value: unknown): boolean =>
  (typeof value === 'number' || isText(value)) && DECIMAL.test(String(value))

export function isCondition(value: unknown, depth = 0): value is Condition {
  if (typeof value !== 'object' || value === null || depth > CONDITION_LIMITS.depth) return false
  const { field, ...rest } = value as Readonly<Record<string, unknown>>
  const [[name, by] = ['', undefined], ...more] = Object.entries(rest)
  if (more.length > 0) return false
  if (field === undefined && name === 'not') return isCondition(by, depth + 1)
  if (field === undefined)
    return (
      (name === 'all' || name === 'any') &&
      Array.isArray(by) &&
      by.length <= CONDITION_LIMITS.parts &&
      by.every((each) => isCondition(each, depth + 1))
    )
  return isText(field) && Object.hasOwn(SHAPES, name) && SHAPES[name as TestName](by)
}

export interface Facts {
  readonly valueAt: (field: string) => unknown
  /** The current date, as `YYYY-MM-DD`. */
  readonly today?: string
  /** The countries of each group, such as `EU`. */
  readonly groups?: Readonly<Record<string, readonly string[]>>
  /** Checks formats of numbers. If absent, all numbers have them. */
  readonly hasFormat?: HasFormat
}

/** Returns the facts with answers that replace the stored ones. The keys of `answers` are names with the prefix. */
export const factsWith = (facts: Facts, answers: Readonly<Record<string, unknown>>, prefix = ''): Facts => ({
  ...facts,
  valueAt: (name) => (prefix + name in answers ? answers[prefix + name] : facts.valueAt(name)),
})

const DECIMAL = /^\d+(\.\d+)?$/
const PERIOD = /^P(\d{1,4})([YMD])$/

/** The maximum number of countries in a list, which exceeds their number. */
export const MAX_COUNTRIES = 300

/** Returns the entries of a list, of countries separated by commas, or of a single answer. */
const entriesOf = (value: unknown, facts: Facts): readonly unknown[] =>
  Array.isArray(value) ? value : typeof value === 'string' ? listedIn(facts, value) : [value]

/** Returns the entries of a text. Stored, because a profile can have a thousand tests of one long text. */
const listedIn = oncePerText((_facts: Facts, text): readonly string[] =>
  text.split(',', MAX_COUNTRIES).map((each) => each.trim()),
)

/**
 * Returns whether one decimal number is less than the other, or null if one is not a number. Compares texts, because
 * numbers lose digits.
 */
export function isLess(one: unknown, other: unknown): boolean | null {
  if (!DECIMAL.test(String(one)) || !DECIMAL.test(String(other))) return null
  const split = (value: unknown) =>
    String(value)
      .replace(/^0+(?=\d)/, '')
      .split('.') as [string, string?]
  const [[a, ofA = ''], [b, ofB = '']] = [split(one), split(other)]
  const width = Math.max(a.length, b.length)
  const digits = Math.max(ofA.length, ofB.length)
  return a.padStart(width, '0') + ofA.padEnd(digits, '0') < b.padStart(width, '0') + ofB.padEnd(digits, '0')
}

/** Returns the date that lies this period before today, or null if it is not a period or begins before the year 1000. */
export const dateBefore = (today: string, period: string): string | null => shifted(today, period, -1)
/** Returns the date that lies this period after today, or null if it is not a period. */
export const dateAfter = (today: string, period: string): string | null => shifted(today, period, 1)

function shifted(today: string, period: string, sign: 1 | -1): string | null {
  const [, count, unit] = PERIOD.exec(period) ?? []
  if (count === undefined) return null
  const [year = 0, month = 1, day = 1] = today.split('-').map(Number)
  const by = (each: string) => (unit === each ? sign * Number(count) : 0)
  if (year + by('Y') < 1_000) return null
  // Years of more than four digits could not be compared as texts.
  const date = new Date(Date.UTC(Math.min(year + by('Y'), 9998), month - 1 + by('M'), day + by('D')))
  // A shorter month ends earlier. Otherwise, people would come of age a day early on 29 February.
  if (unit !== 'D' && date.getUTCDate() !== day) date.setUTCDate(0)
  return date.toISOString().slice(0, 10)
}

/** Returns the values, with the countries of each group in place of its name. */
const countriesIn = (values: readonly string[], { groups = {} }: Pick<Facts, 'groups'>): string[] =>
  values.flatMap((each) => (Object.hasOwn(groups, each) ? (groups[each] ?? []) : each))

const NO_GROUPS = {}
/** The values of tests, with the countries of each group in place of its name. */
const valuesIn = oncePer((groups: NonNullable<Facts['groups']>) =>
  oncePer((values: readonly string[]): ReadonlySet<string> => new Set(countriesIn(values, { groups }))),
)

/** Returns whether an entry of the answer is one of the values, or belongs to one of their groups of countries. */
function isAmong(value: unknown, values: readonly string[], facts: Facts): boolean {
  const wanted = valuesIn(facts.groups ?? NO_GROUPS)(values)
  return entriesOf(value, facts).some((each) => wanted.has(String(each)))
}

const SHAPES: { readonly [T in TestName]: (by: unknown) => boolean } = {
  is: (by) => typeof by === 'boolean' || isText(by),
  isNot: (by) => typeof by === 'boolean' || isText(by),
  in: (by) => Array.isArray(by) && by.length <= CONDITION_LIMITS.values && by.every(isText),
  has: isText,
  given: (by) => typeof by === 'boolean',
  at_least: isNumber,
  below: isNumber,
  older_than: (by) => isText(by) && PERIOD.test(String(by)),
}

const TESTS: { readonly [T in TestName]: (value: unknown, by: Tests[T], facts: Facts) => boolean } = {
  is: (value, by) => value === by,
  isNot: (value, by) => isGiven(value) && value !== by,
  in: (value, by, facts) => isGiven(value) && isAmong(value, by, facts),
  has: (value, by, facts) => isGiven(value) && entriesOf(value, facts).includes(by),
  given: (value, by) => isGiven(value) === by,
  at_least: (value, by) => isLess(value, by) === false,
  below: (value, by) => isLess(value, by) === true,
  older_than: (value, by, { today = '' }) => {
    const latest = dateBefore(today, by)
    return isGiven(value) && latest !== null && String(value) <= latest
  },
}
const TEST_NAMES = Object.keys(TESTS) as TestName[]

/** Returns the name of the condition's test, and the value that it tests against. */
export function testOf(condition: Condition): [name: TestName, by: unknown] | null {
  const name = TEST_NAMES.find((each) => each in condition)
  return name ? [name, (condition as Partial<Tests>)[name]] : null
}

export function isMet(condition: Condition, facts: Facts): boolean {
  if ('all' in condition) return condition.all.every((each) => isMet(each, facts))
  if ('any' in condition) return condition.any.some((each) => isMet(each, facts))
  if ('not' in condition) return !isMet(condition.not, facts)
  const [name, by] = testOf(condition) ?? ['given', true]
  return TESTS[name](facts.valueAt(condition.field), by as never, facts)
}

/**
 * Returns the condition for a page. `inputOf` returns the name of a field's input, or null if the page does not have it.
 * Tests of other fields are decided now, groups of countries become lists, and periods become dates.
 */
export function forPage(
  condition: Condition,
  facts: Facts,
  inputOf: (field: string) => string | null,
): object {
  if ('all' in condition) return { all: condition.all.map((each) => forPage(each, facts, inputOf)) }
  if ('any' in condition) return { any: condition.any.map((each) => forPage(each, facts, inputOf)) }
  if ('not' in condition) return { not: forPage(condition.not, facts, inputOf) }
  const field = inputOf(condition.field)
  if (field === null) return isMet(condition, facts) ? { all: [] } : { any: [] }
  if ('in' in condition) return { ...condition, field, in: countriesIn(condition.in, facts) }
  if ('older_than' in condition)
    return { ...condition, field, older_than: dateBefore(facts.today ?? '', condition.older_than) }
  return { ...condition, field }
}

export function fieldsIn(condition: Condition): string[] {
  if ('all' in condition) return condition.all.flatMap(fieldsIn)
  if ('any' in condition) return condition.any.flatMap(fieldsIn)
  return 'not' in condition ? fieldsIn(condition.not) : [condition.field]
}

const quoted = (value: unknown): string => (typeof value === 'string' ? `\`${value}\`` : String(value))

/** The groups of countries that conditions can name, in words. */
const GROUPS: Readonly<Record<string, string>> = {
  no_postcode: 'the countries without postcodes',
  EU: 'the countries of the EU',
  EEA: 'the countries of the EEA',
  high_risk: 'the vault’s countries with a high risk',
}

const WORDS: { readonly [T in TestName]: (by: Tests[T]) => string } = {
  is: (by) => `is ${quoted(by)}`,
  isNot: (by) => `is not ${quoted(by)}`,
  in: (by) => `is one of ${by.map((each) => GROUPS[each] ?? quoted(each)).join(', ')}`,
  has: (by) => `contains ${quoted(by)}`,
  given: (by) => (by ? 'is set' : 'is not set'),
  at_least: (by) => `is at least ${by}`,
  below: (by) => `is below ${by}`,
  older_than: (by) => `is at least ${by} ago`,
}

/** Returns the condition as text for the API, such as "`nesting_confirmation` is true". */
export function describeCondition(condition: Condition): string {
  if ('all' in condition) return condition.all.map(describeCondition).join(' and ')
  if ('any' in condition) return `one of these holds: ${condition.any.map(describeCondition).join('; ')}`
  if ('not' in condition && 'in' in condition.not)
    return describeCondition(condition.not).replace('is one of', 'is none of')
  if ('not' in condition) return `it is not so that ${describeCondition(condition.not)}`
  const [name, by] = testOf(condition) ?? ['given', true]
  return `\`${condition.field.split('.').at(-1)}\` ${WORDS[name](by as never)}`
}
