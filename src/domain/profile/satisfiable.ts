/** Rules for whether any answers can meet a condition. */
import { type Condition, dateBefore, type Facts, isMet, testOf } from '../fields/condition.ts'
import { COUNTRY_CODES } from '../fields/countries.ts'
import type { FieldType } from '../fields/field.ts'

/** A field that a condition names. */
export interface Named {
  readonly type: FieldType
  readonly values?: readonly string[] | undefined
}

type Groups = NonNullable<Facts['groups']>
type Test = Exclude<Condition, { all: unknown } | { any: unknown } | { not: unknown }>

/** The maximum numbers of tests, of combinations and of list entries. Beyond them, a condition counts as possible. */
const MAX_TESTS = 40
const MAX_TRIES = 1_000
const MAX_ENTRIES = 6

const TODAY = '2026-01-01'

const testsIn = (condition: Condition): Test[] => {
  if ('all' in condition) return condition.all.flatMap(testsIn)
  if ('any' in condition) return condition.any.flatMap(testsIn)
  return 'not' in condition ? testsIn(condition.not) : [condition]
}

/**
 * Returns whether some answers meet the condition. `groups` are the countries of each group. A group that depends on the
 * vault is absent, and can contain any country.
 */
export function canBeMet(
  condition: Condition,
  fieldNamed: (field: string) => Named | undefined,
  groups: Groups,
): boolean {
  const tests = testsIn(condition)
  if (tests.length > MAX_TESTS) return true
  const known = [...new Set(tests.map(({ field }) => field))].map((field) => {
    const ofField = tests.filter((test) => test.field === field)
    const named = fieldNamed(field)
    const answers = named ? answersTo(named, ofField, groups) : null
    return [field, answers && distinct(answers, ofField, groups)] as const
  })
  // Each list has an answer. A field without a list can have any.
  const sizes = known.map(([, answers]) => answers?.length ?? Number.POSITIVE_INFINITY)
  if (sizes.reduce((count, size) => count * size, 1) > MAX_TRIES) return true
  const given = new Map<string, unknown>()
  const facts: Facts = { valueAt: (field) => given.get(field), today: TODAY, groups }
  const holdsFrom = (index: number): boolean => {
    const next = known[index]
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
function distinct(answers: readonly unknown[], tests: readonly Test[], groups: Groups): unknown[] {
  const resultOf = (answer: unknown) =>
    tests.map((test) => Number(isMet(test, { valueAt: () => answer, today: TODAY, groups }))).join('')
  return [...new Map(answers.map((answer) => [resultOf(answer), answer])).values()]
}

/** Returns answers that cover all results of the tests, or null if there are too many. */
function answersTo({ type, values }: Named, tests: readonly Test[], groups: Groups): unknown[] | null {
  const named = tests.flatMap((test) => [testOf(test)?.[1]].flat()).map(String)
  switch (type) {
    case 'boolean':
    case 'confirmation':
      return [undefined, true, false]
    case 'files':
      return [undefined, ['file']]
    case 'number_text':
    case 'percentage_text':
      return [undefined, '0', ...named.flatMap((each) => [each, `${each}${each.includes('.') ? '0' : '.0'}`])]
    case 'date':
      return [undefined, TODAY, ...named.map((each) => dateBefore(TODAY, each) ?? each)]
    case 'country':
      return named.some((each) => isOpenGroup(each, groups)) ? null : [undefined, ...COUNTRY_CODES]
    case 'one_of':
      return [undefined, ...(values ?? [])]
    case 'some_of':
      return subsetsOf(
        (values ?? []).filter((each) => named.includes(each)),
        values ?? [],
      )
    case 'country_list': {
      const isGrouped = named.some((each) => Object.hasOwn(groups, each) || isOpenGroup(each, groups))
      const subsets = isGrouped
        ? null
        : subsetsOf(
            COUNTRY_CODES.filter((each) => named.includes(each)),
            COUNTRY_CODES,
          )
      return subsets?.map((each) => each.join(',')) ?? null
    }
    default:
      return [undefined, ...named, named.join(','), `${named.join('')} `.concat('other')]
  }
}

const isOpenGroup = (name: string, groups: Groups): boolean =>
  name === 'high_risk' && !Object.hasOwn(groups, name)

/** Returns all lists of the entries, each also with another of `all`. Returns null if there are too many. */
function subsetsOf(entries: readonly string[], all: readonly string[]): string[][] | null {
  if (entries.length > MAX_ENTRIES) return null
  const other = all.filter((each) => !entries.includes(each)).slice(0, 1)
  let lists: string[][] = [[], other]
  for (const each of entries) lists = lists.concat(lists.map((list) => [...list, each]))
  return lists
}
