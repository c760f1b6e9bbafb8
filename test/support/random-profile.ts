/** Generates random rows of profiles, and answers to them. */
import fc from 'fast-check'
import type { Condition } from '../../src/domain/fields/condition.ts'
import type { Field } from '../../src/domain/fields/field.ts'
import type { ProfileRow } from '../../src/domain/profile/document.ts'
import { labelled } from './profile.ts'

const TYPES = [
  'short_text',
  'boolean',
  'number_text',
  'date',
  'country',
  'one_of',
  'some_of',
  'files',
] as const
const VALUES = ['a', 'b', 'c']
export const label = { en: 'x', de: 'x' }

/** Returns a value that keeps all limits of the rows below. A text without limits is `word`. */
export const answerTo = (
  { type, values = [], min_length, minimum = 5 }: Pick<Field, 'type' | 'values' | 'min_length' | 'minimum'>,
  word = 'x',
): unknown =>
  ({
    short_text: min_length === undefined ? word : 'x'.repeat(min_length),
    text: 'x',
    boolean: true,
    confirmation: true,
    number_text: String(minimum),
    percentage_text: '50',
    date: '2000-02-29',
    country: 'DE',
    country_list: 'DE,FR',
    url: 'https://example.com',
    phone: '+4930123456',
    email: 'ada@example.com',
    one_of: values[0],
    some_of: [values[0]],
    files: ['018f4d2e-7c1a-7b3e-9d55-0a1b2c3d4e5f'],
  })[type]

/** Returns conditions on earlier rows, so that no question depends on itself. */
export function conditionOn(rows: readonly ProfileRow[]): fc.Arbitrary<Condition> {
  const test = fc.constantFrom(...rows).chain(({ path: field, type }): fc.Arbitrary<Condition> => {
    const given = fc.boolean().map((is): Condition => ({ field, given: is }))
    if (type === 'boolean')
      return fc.oneof(
        given,
        fc.boolean().map((is): Condition => ({ field, is })),
      )
    if (type === 'number_text')
      return fc.oneof(
        given,
        fc.nat(9).map((at_least): Condition => ({ field, at_least })),
      )
    if (type === 'country') return fc.oneof(given, fc.constant<Condition>({ field, in: ['EU'] }))
    if (type === 'one_of')
      return fc.oneof(
        given,
        fc.constantFrom(...VALUES).map((is) => ({ field, is })),
      )
    return type === 'date' ? fc.constant<Condition>({ field, older_than: 'P18Y' }) : given
  })
  return fc.oneof(
    test,
    test.map((not): Condition => ({ not })),
    fc.array(test, { minLength: 1, maxLength: 3 }).map((all): Condition => ({ all })),
    fc.array(test, { minLength: 1, maxLength: 3 }).map((any): Condition => ({ any })),
  )
}

const LIMITS = fc.constantFrom<Partial<ProfileRow>>({}, { min_length: 3, max_length: 3 })
const NUMBERS = fc.constantFrom<Partial<ProfileRow>>({}, { minimum: 7, maximum: '7', decimals: 0 })

export type Sections = readonly [ProfileRow['section'], ...ProfileRow['section'][]]

function rowAfter(sections: Sections, rows: readonly ProfileRow[], nth: number): fc.Arbitrary<ProfileRow> {
  const condition =
    rows.length === 0 ? fc.constant(undefined) : fc.option(conditionOn(rows), { nil: undefined })
  return fc
    .record({
      type: fc.constantFrom(...TYPES),
      section: fc.constantFrom(...sections),
      required: fc.oneof(fc.boolean(), condition),
      asked: condition,
      text: LIMITS,
      number: NUMBERS,
    })
    .map(({ type, text, number, ...more }) => ({
      path: `additional.f${nth}`,
      type,
      label,
      ...more,
      ...(type === 'short_text' && text),
      ...(type === 'number_text' && number),
      ...((type === 'one_of' || type === 'some_of') && labelled(type, VALUES)),
    }))
}

/** Random rows, each with conditions on the rows before it. */
export const rowsIn = (sections: Sections, most: number) =>
  fc
    .nat(most)
    .chain((count) =>
      Array.from({ length: count + 1 }, (_, nth) => nth).reduce<fc.Arbitrary<readonly ProfileRow[]>>(
        (before, nth) => before.chain((rows) => rowAfter(sections, rows, nth).map((row) => [...rows, row])),
        fc.constant([]),
      ),
    )
