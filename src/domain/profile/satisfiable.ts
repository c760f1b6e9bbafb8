/** Rules for whether any answers can meet a condition. */
import { cleanText } from '../base/clean-text.ts'
import { type Condition, dateAfter, type Facts, isMet, testOf } from '../fields/condition.ts'
import { COUNTRY_CODES } from '../fields/countries.ts'
import { type FieldType, isChoice, isYesOrNo, type Limits } from '../fields/field.ts'
import { isGiven } from '../fields/given.ts'
import { findLimitReason, limitDate, stepsAt } from '../fields/limits.ts'

/** A field that a condition names. */
export interface Named extends Limits {
  readonly type: FieldType
  readonly values?: readonly string[] | undefined
}

/**
 * The current date, and the countries of each group. A group that depends on the vault is absent, and can contain any
 * country.
 */
export type Known = Required<Pick<Facts, 'groups' | 'today'>>
type Test = Exclude<Condition, { all: unknown } | { any: unknown } | { not: unknown }>

/**
 * The maximum numbers of tests, of combinations, of list entries, and of comparisons for one field. Beyond them, a
 * condition counts as possible.
 */
const MAX_TESTS = 40
const MAX_TRIES = 1_000
const MAX_COMPARISONS = 50_000
const MAX_ENTRIES = 6

/** The forms of answers, and an answer that no condition names. */
const FORMS: Readonly<Partial<Record<FieldType, readonly [form: RegExp, other: string]>>> = {
  number_text: [/^\d+(\.\d+)?$/, '0'],
  percentage_text: [/^0*(\d{1,2}(\.\d+)?|100(\.0+)?)$/, '0'],
  phone: [/^\+[1-9]\d{5,14}$/, '+99900000000'],
  email: [/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'other@other.example'],
  url: [/^https?:\/\/[^\s/]/i, 'https://other.example/other'],
}

/** A character of an old script, which conditions hardly contain. */
const OTHER = '\ua66e'

const testsIn = (condition: Condition): Test[] => {
  if ('all' in condition) return condition.all.flatMap(testsIn)
  if ('any' in condition) return condition.any.flatMap(testsIn)
  return 'not' in condition ? testsIn(condition.not) : [condition]
}

/** Returns whether the field can have this value, or its list this entry. */
export function canHave(named: Named, value: unknown, today: string): boolean {
  const { type, values = [] } = named
  if (isYesOrNo(type)) return typeof value === 'boolean'
  if (typeof value !== 'string' || !isGiven(value)) return false
  if (isChoice(type)) return values.includes(value)
  if (isOfCountries(type)) return COUNTRY_CODES.includes(value)
  const isFormed =
    type === 'date' ? limitDate(value, '') === value : (FORMS[type]?.[0].test(value) ?? isStored(value))
  return isFormed && findLimitReason(named, value, { today, valueAt: () => undefined }) === null
}

const isStored = (text: string): boolean => cleanText(text).trim() === text

/** Returns whether some answers meet the condition. */
export function canBeMet(
  condition: Condition,
  fieldNamed: (field: string) => Named | undefined,
  known: Known,
): boolean {
  const tests = testsIn(condition)
  if (tests.length > MAX_TESTS) return true
  const answered = [...new Set(tests.map(({ field }) => field))].map((field) => {
    const ofField = tests.filter((test) => test.field === field)
    const named = fieldNamed(field)
    const answers = named ? answersTo(named, ofField, known) : null
    const isSmall = answers !== null && answers.length * valuesIn(ofField).length <= MAX_COMPARISONS
    return [field, isSmall ? distinct(answers, ofField, known) : null] as const
  })
  // Each list has an answer. A field without a list can have any.
  const sizes = answered.map(([, answers]) => answers?.length ?? Number.POSITIVE_INFINITY)
  if (sizes.reduce((count, size) => count * size, 1) > MAX_TRIES) return true
  const given = new Map<string, unknown>()
  const facts: Facts = { valueAt: (field) => given.get(field), ...known }
  const holdsFrom = (index: number): boolean => {
    const next = answered[index]
    if (!next) return isMet(condition, facts)
    const [field, answers] = next
    return (answers ?? []).some((answer) => {
      given.set(field, answer)
      return holdsFrom(index + 1)
    })
  }
  return holdsFrom(0)
}

/** Returns one answer for each combination of results that the tests can have. */
function distinct(answers: readonly unknown[], tests: readonly Test[], known: Known): unknown[] {
  const resultOf = (answer: unknown) =>
    tests.map((test) => Number(isMet(test, { valueAt: () => answer, ...known }))).join('')
  return [...new Map(answers.map((answer) => [resultOf(answer), answer])).values()]
}

/** Returns the values with which the tests compare. */
const valuesIn = (tests: readonly Test[]): string[] =>
  tests.flatMap((test) => [testOf(test)?.[1]].flat()).map(String)

/** Returns answers that cover all results of the tests, or null if there are too many. */
function answersTo(named: Named, tests: readonly Test[], known: Known): unknown[] | null {
  const { type, values = [] } = named
  const tested = valuesIn(tests)
  switch (type) {
    case 'boolean':
    case 'confirmation':
      return [undefined, true, false]
    case 'files':
      return [undefined, ['file']]
    case 'country':
      return tested.some((each) => isOpenGroup(each, known.groups)) ? null : [undefined, ...COUNTRY_CODES]
    case 'one_of':
      return [undefined, ...values]
    case 'some_of':
      return subsetsOf(
        values.filter((each) => tested.includes(each)),
        values,
      )
    case 'country_list': {
      const { groups } = known
      const isGrouped = tested.some((each) => isCountryGroup(each, groups))
      const subsets = isGrouped
        ? null
        : subsetsOf(
            COUNTRY_CODES.filter((each) => tested.includes(each)),
            COUNTRY_CODES,
          )
      return subsets?.map((each) => each.join(',')) ?? null
    }
    default:
      return [
        undefined,
        ...textsFor(named, tested, known).filter((each) => canHave(named, each, known.today)),
      ]
  }
}

/** Returns texts, numbers or dates at and next to the values that tests and limits name, and another one. */
function textsFor(named: Named, tested: readonly string[], { today }: Known): string[] {
  const { type, minimum, maximum, decimals, earliest, latest, min_length = 1 } = named
  if (type === 'date')
    return ['today', earliest, latest, ...tested]
      .map((each) => each && limitDate(each, today))
      .flatMap((each) => (each ? [each, nextDay(each)] : []))
  if (type === 'number_text' || type === 'percentage_text')
    return ['0', minimum, maximum, ...tested]
      .map(String)
      .flatMap((each) => [
        ...[each, `${each}${each.includes('.') ? '0' : '.0'}`],
        ...(FORMS.number_text?.[0].test(each) ? stepsAt(each, decimals) : []),
      ])
  return [...tested, tested.join(','), FORMS[type]?.[1] ?? OTHER.repeat(Math.max(min_length, 1))]
}

const nextDay = (day: string): string => dateAfter(day, 'P1D') ?? day

export const isOfCountries = (type: FieldType): boolean => type === 'country' || type === 'country_list'

export const isCountryGroup = (name: string, groups: Known['groups']): boolean =>
  Object.hasOwn(groups, name) || isOpenGroup(name, groups)

const isOpenGroup = (name: string, groups: Known['groups']): boolean =>
  name === 'high_risk' && !Object.hasOwn(groups, name)

/** Returns all lists of the entries, each also with another of `all`. Returns null if there are too many. */
function subsetsOf(entries: readonly string[], all: readonly string[]): string[][] | null {
  if (entries.length > MAX_ENTRIES) return null
  const other = all.filter((each) => !entries.includes(each)).slice(0, 1)
  let lists: string[][] = [[], other]
  for (const each of entries) lists = lists.concat(lists.map((list) => [...list, each]))
  return lists
}
