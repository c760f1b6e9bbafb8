/** Tests the words that explain a profile and its differences from another one. */
import { describe, expect, test } from 'vitest'
import type { Condition } from '../../../src/domain/fields/condition.ts'
import { compareProfiles, differenceInWords } from '../../../src/domain/profile/comparison.ts'
import { DEFAULT_DOCUMENT, type ProfileRow } from '../../../src/domain/profile/document.ts'
import { isSame, withoutRow, withRow } from '../../../src/domain/profile/draft.ts'
import { conditionInWords, type Names, rowInWords } from '../../../src/domain/profile/words.ts'

const names = (language: 'en' | 'de'): Names => ({
  language,
  field: (path) => path.split('.').at(-1) ?? path,
  value: (_, value) => ({ DE: 'Germany', ubo: 'Owner' })[value] ?? null,
})
const EN = names('en')

describe('a condition in words', () => {
  test.each<[Condition, string, string]>([
    [{ field: 'a.pays', is: true }, '“pays” is “Yes”', '„pays“ gleich „Ja“ ist'],
    [{ field: 'kind', isNot: 'x' }, '“kind” is not “x”', '„kind“ nicht „x“ ist'],
    [
      { field: 'c', in: ['DE', 'EU'] },
      '“c” is “Germany” or a country of the EU',
      '„c“ gleich „Germany“ oder ein Land der EU ist',
    ],
    [{ field: 'roles', has: 'ubo' }, '“roles” contains “Owner”', '„roles“ die Angabe „Owner“ enthält'],
    [{ field: 'n', given: false }, '“n” has no answer', '„n“ nicht beantwortet ist'],
    [{ field: 'n', at_least: 25 }, '“n” is at least 25', '„n“ mindestens 25 beträgt'],
    [{ field: 'd', older_than: 'P1Y' }, '“d” is at least 1 year ago', '„d“ mindestens 1 Jahr zurückliegt'],
    [
      {
        all: [
          { field: 'a', given: true },
          { any: [{ field: 'b', below: 3 }, { not: { field: 'c', given: true } }] },
        ],
      },
      '“a” has an answer and (“b” is less than 3 or not (“c” has an answer))',
      '„a“ beantwortet ist und („b“ unter 3 liegt oder nicht („c“ beantwortet ist))',
    ],
    [{ any: [] }, 'never', 'nie'],
    [{ all: [] }, 'always', 'immer'],
  ])('%j', (condition, en, de) => {
    expect([conditionInWords(EN, condition), conditionInWords(names('de'), condition)]).toEqual([en, de])
  })
})

test.each<[Pick<ProfileRow, 'asked' | 'required'>, string]>([
  [{ required: true }, 'Always required'],
  [{}, 'Optional'],
  [{ required: false }, 'Optional'],
  [{ asked: { field: 'a', given: true } }, 'Optional, asked if “a” has an answer.'],
  [{ required: { field: 'a', given: true } }, 'Required if “a” has an answer. Otherwise optional.'],
  [
    { asked: { field: 'a', given: true }, required: true },
    'Required if “a” has an answer. Otherwise not asked.',
  ],
  [
    { asked: { field: 'a', given: true }, required: { field: 'b', is: 'x' } },
    'Asked if “a” has an answer. Required if “b” is “x”.',
  ],
])('a row with %j says when it is asked', (row, text) => expect(rowInWords(EN, row)).toBe(text))

describe('a comparison', () => {
  const row: ProfileRow = {
    path: 'additional.place_of_birth',
    section: 'details',
    type: 'short_text',
    required: true,
    label: { en: 'Place of birth' },
  }
  const before = withRow(DEFAULT_DOCUMENT, 'beneficiary', null, row)
  const wordsOf = (from: typeof before, to: typeof before) =>
    compareProfiles(from, to).map((each) => differenceInWords({ before: EN, after: EN }, each))

  test('of equal profiles is empty, even if members have another order', () => {
    expect(compareProfiles(before, { ...before })).toEqual([])
    expect(isSame({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true)
    expect(isSame([1, 2], [2, 1])).toBe(false)
  })
  test('ignores specified fields that the document leaves out', () => {
    const empty = { company: { rows: [] }, beneficiary: { rows: [] }, person: { rows: [] } }
    expect(compareProfiles(DEFAULT_DOCUMENT, empty)).toEqual([])
  })
  test('names a new question', () => {
    expect(wordsOf(DEFAULT_DOCUMENT, before)).toEqual([
      { title: 'New: place_of_birth, for each owner and director', text: 'Always required', changes: [] },
    ])
  })
  test('names a removed question', () => {
    expect(wordsOf(before, withoutRow(before, 'beneficiary', row.path))).toMatchObject([
      { title: 'Removed: place_of_birth, for each owner and director', changes: [] },
    ])
  })
  test('names each change of a question', () => {
    const { required: _, ...optional } = row
    const changed = { ...optional, label: { en: 'Birthplace', de: 'Geburtsort' }, values: ['a', 'b'] }
    expect(wordsOf(before, withRow(before, 'beneficiary', row.path, changed))[0]?.changes).toEqual([
      { name: 'When it is asked', before: 'Always required', after: 'Optional' },
      { name: 'Question (en)', before: 'Place of birth', after: 'Birthplace' },
      { name: 'Question (de)', before: '', after: 'Geburtsort' },
      { name: 'Choices', before: '', after: 'a, b' },
    ])
  })
  test('names a specified field that becomes required', () => {
    const path = 'nature_of_business.vat_number'
    const vat = DEFAULT_DOCUMENT.company.rows.find((each) => each.path === path) as ProfileRow
    const after = withRow(DEFAULT_DOCUMENT, 'company', path, { ...vat, required: true })
    expect(wordsOf(DEFAULT_DOCUMENT, after)).toMatchObject([{ title: 'Changed: vat_number' }])
  })
})
