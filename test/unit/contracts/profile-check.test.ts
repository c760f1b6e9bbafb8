/** Tests the problems of documents: those that the schema refuses, and those that prevent publication. */
import { describe, expect, test } from 'vitest'
import { findProblems } from '../../../src/contracts/check.ts'
import { profileDocument } from '../../../src/contracts/profile.ts'
import { checkProfile, type PublishedRow } from '../../../src/domain/profile/check.ts'
import type { ProfileDocument } from '../../../src/domain/profile/document.ts'
import { documentOf, labelled, type Row, row, text } from '../../support/profile.ts'

const TODAY = '2026-11-28'

/** Returns the places and codes of all problems. A document that the schema accepts is checked. */
function problemsIn(document: object): string[] {
  const refused = findProblems(profileDocument, document)
  if (refused.length > 0) return refused.map(({ field, code }) => `${field}: ${code}`)
  const found = checkProfile(document as ProfileDocument, ['en', 'de'], TODAY)
  for (const { message } of found) expect(message).toMatch(/\.$/)
  return found.map(({ path, code }) => `${path}: ${code}`)
}

/** The problems of the first row of the company, without its place. */
const problemsOf = (more: Row, others: readonly Row[] = []): string[] =>
  problemsIn(documentOf([row('x', more), ...others])).map((each) => each.replace('company.rows.0.', ''))

/** Returns the values, each with its expected problem. */
const each = (values: readonly unknown[], expected: string[]) =>
  values.map((value) => [value, expected] as const)

test.each([
  ...each(
    ['2026-02-28', '2024-02-29', '9999-12-31', '1000-01-01', 'today', 'P18Y', '+P6M', 'P90D', 'P0D'],
    [],
  ),
  ...each(['2026-02-31', '2025-02-29', '2026-04-31', '2026-00-10', '2026-13-01', '0999-12-31'], ['invalid']),
  ...each(['0000-01-01', '2026-1-1', '2026-02-28T00:00:00Z', '28.02.2026', 'tomorrow', ''], ['invalid']),
  ...each(['P1100Y', 'P9999Y', 'P-1Y', 'P1W', 'PT1H', '-P1Y', '+today', '2026-02-28\u0000'], ['invalid']),
  ...each([20260228, null, true, {}, []], ['invalid']),
])('%j as a limit of dates has the problems %j', (limit, expected) => {
  const wide = { earliest: '1000-01-01', latest: '9999-12-31' }
  for (const name of ['earliest', 'latest'])
    expect(problemsOf({ type: 'date', ...wide, [name]: limit })).toEqual(
      expected.map((code) => `${name}: ${code}`),
    )
})

test.each([
  [{ earliest: '2026-01-02', latest: '2026-01-01' }, [': no_range']],
  [{ earliest: '2026-01-01', latest: '2026-01-01' }, []],
  [{ earliest: 'P18Y', latest: 'P19Y' }, [': no_range']],
  [{ earliest: '2026-03-01', latest: 'today' }, []],
  [{ earliest: 'today', latest: '2026-03-01' }, [': no_range']],
  [{ earliest: '+P1D' }, [': no_range']],
  [{ earliest: '+P1D', latest: '+P1Y' }, []],
])('the range of dates %j has the problems %j', (limits, expected) => {
  expect(problemsOf({ type: 'date', ...limits }).map((place) => place.replace('company.rows.0', ''))).toEqual(
    expected,
  )
})

test.each<[Row, string[]]>([
  [{ min_length: 0, max_length: 500 }, []],
  [{ min_length: 2, max_length: 1 }, [': no_range']],
  [{ min_length: -1 }, ['min_length: invalid']],
  [{ max_length: -1 }, ['max_length: invalid']],
  [{ max_length: 1.5 }, ['max_length: invalid']],
  [{ max_length: 501 }, ['max_length: wrong_limit']],
  [{ min_length: 501 }, ['min_length: wrong_limit']],
  [{ type: 'text', min_length: 501, max_length: 5_000 }, []],
  [{ type: 'text', max_length: 5_001 }, ['max_length: invalid']],
  [{ type: 'number_text', minimum: 3, maximum: '2.99' }, [': no_range']],
  [{ type: 'number_text', minimum: 3, maximum: '3.0' }, []],
  [{ type: 'number_text', minimum: '0.2', maximum: '0.8', decimals: 0 }, [': no_range']],
  [{ type: 'number_text', minimum: '0.21', maximum: '0.29', decimals: 1 }, [': no_range']],
  [{ type: 'number_text', minimum: '0.2', maximum: '1', decimals: 0 }, []],
  [{ type: 'number_text', minimum: -1 }, ['minimum: invalid']],
  [{ type: 'number_text', minimum: 'many' }, ['minimum: invalid']],
  [{ type: 'number_text', decimals: 21 }, ['decimals: invalid']],
  [{ type: 'percentage_text', minimum: 100, maximum: 100 }, []],
  [{ type: 'percentage_text', maximum: '100.01' }, ['maximum: wrong_limit']],
  [{ type: 'percentage_text', minimum: 101 }, ['minimum: wrong_limit']],
  [{ type: 'boolean', min_length: 1 }, ['min_length: wrong_limit']],
  [{ type: 'files', max_age: 'P3M' }, []],
  [{ type: 'files', max_age: 'P9999Y' }, ['max_age: invalid']],
  [{ type: 'files', max_age: '2026-01-01' }, ['max_age: invalid']],
  [{ type: 'date', max_age: 'P3M' }, ['max_age: wrong_limit']],
  [{ expires: true }, ['expires: wrong_limit']],
  [{ format: 'passport' }, ['format: invalid']],
])('the limits %j have the problems %j', (limits, expected) => {
  expect(problemsOf(limits).map((place) => place.replace('company.rows.0', ''))).toEqual(expected)
})

const CHOICE = labelled('one_of', ['a', 'b'])
const label = text('x')

test.each<[string, Row, string[]]>([
  ['no problem', CHOICE, []],
  ['no choices', { type: 'one_of' }, ['values: no_values']],
  ['an empty list', { type: 'some_of', values: [] }, ['values: no_values']],
  ['a repeated choice', { ...CHOICE, values: ['a', 'b', 'a'] }, ['values.2: duplicate_value']],
  [
    'a choice three times',
    { ...CHOICE, values: ['a', 'a', 'a'], value_labels: { a: label } },
    ['values.1: duplicate_value', 'values.2: duplicate_value'],
  ],
  ['choices without labels', { type: 'one_of', values: ['a', 'b'] }, []],
  [
    'a choice with a label in one language',
    { ...CHOICE, value_labels: { a: label, b: { en: 'x' } } },
    ['value_labels.b.de: missing_language'],
  ],
  [
    'a choice with an invisible label',
    { ...CHOICE, value_labels: { a: label, b: { en: 'x', de: '\u3164 ' } } },
    ['value_labels.b.de: missing_language'],
  ],
  [
    'a label of an unknown choice',
    { ...CHOICE, value_labels: { a: label, b: label, c: label } },
    ['value_labels.c: unknown_value'],
  ],
  [
    'a condition of an unknown choice',
    { ...CHOICE, value_asked: { c: { field: 'nature_of_business.phone', given: true } } },
    ['value_asked.c: unknown_value'],
  ],
  [
    'a condition of a property of objects',
    { ...CHOICE, value_asked: { toString: { field: 'nature_of_business.phone', given: true } } },
    ['value_asked.toString: invalid'],
  ],
  [
    'a label of __proto__',
    { ...CHOICE, value_labels: JSON.parse('{"__proto__":{"en":"x"}}') },
    ['value_labels.__proto__: invalid'],
  ],
  ['a choice with a space', { ...CHOICE, values: ['a b'] }, ['values.0: invalid']],
  ['a choice that is a property of objects', { ...CHOICE, values: ['constructor'] }, ['values.0: invalid']],
  ['choices of a yes-or-no question', { type: 'boolean', values: ['yes'] }, ['values: wrong_limit']],
  ['labels of a text', { value_labels: { a: label } }, ['value_labels.a: unknown_value']],
  ['no label', { label: undefined }, ['label.en: missing_language', 'label.de: missing_language']],
  ['an empty label', { label: { en: 'x', de: '' } }, ['label.de: missing_language']],
  ['a blank label', { label: { en: 'x', de: ' \u200b' } }, ['label.de: missing_language']],
  ['a Polish label', { label: { ...label, pl: 'x' } }, []],
  ['a label in an unknown language', { label: { ...label, xx: 'x' } }, ['label.xx: unknown_language']],
  ['a help text in an unknown language', { help: { ...label, fr: 'x' } }, ['help.fr: unknown_language']],
  [
    'a choice with a label in an unknown language',
    { ...CHOICE, value_labels: { a: label, b: { ...label, fr: 'x' } } },
    ['value_labels.b.fr: unknown_language'],
  ],
  ['a language that is none', { label: { ...label, english: 'x' } }, ['label.english: invalid']],
  ['a control character in a label', { label: text('a\u0007b') }, ['label.en: invalid', 'label.de: invalid']],
  ['a control character in a help text', { help: { ...label, en: 'a\u0000b' } }, ['help.en: invalid']],
  ['a lone surrogate in a label', { label: { ...label, en: 'a\ud800' } }, ['label.en: invalid']],
  ['a line break in a help text', { help: text('One\nTwo') }, []],
  ['a known group', { group: 'registration' }, []],
  ['an unknown group', { group: 'taxes' }, ['group: unknown_group']],
  ['a group of another section', { group: 'payments' }, ['group: unknown_group']],
  ['a group that is a property of objects', { group: 'constructor' }, ['group: unknown_group']],
  ['a control character in a group', { group: 'a\u0000' }, ['group: invalid']],
  ['a section of people', { section: 'details' }, ['section: wrong_section']],
])('a row with %s has the problems %j', (_, more, expected) => {
  expect(problemsOf(more)).toEqual(expected)
})

describe('a condition', () => {
  /** The fields that conditions name. */
  const FIELDS = [
    row('text', { max_length: 5 }),
    row('yes', { type: 'boolean' }),
    row('number', { type: 'number_text', minimum: 5, maximum: 10, decimals: 0 }),
    row('share', { type: 'percentage_text' }),
    row('day', { type: 'date', earliest: '2000-01-01', latest: 'today' }),
    row('birth', { type: 'date' }),
    row('country', { type: 'country' }),
    row('countries', { type: 'country_list' }),
    row('one', labelled('one_of', ['a', 'b'])),
    row('some', labelled('some_of', ['a', 'b'])),
    row('phone2', { type: 'phone' }),
    row('mail', { type: 'email' }),
    row('site', { type: 'url' }),
    row('files', { type: 'files' }),
    // The row changes when pages ask the specified field, and keeps its choices.
    {
      path: 'usage_of_account.list_of_services',
      section: 'usage_of_account',
      type: 'some_of',
      required: true,
    },
  ]
  const of = (name: string, values: readonly object[], expected: string[]) =>
    values.map((value) => [name, value, expected] as const)

  test.each([
    ...of('text', [{ is: 'abcde' }, { isNot: 'abcde' }, { in: ['a', 'b'] }, { given: false }], []),
    ...of(
      'text',
      [{ is: 'abcdef' }, { is: '' }, { is: ' a' }, { is: '\u200b' }, { is: true }],
      ['is: never_met'],
    ),
    ...of('text', [{ isNot: 'abcdef' }, { isNot: '' }], ['isNot: unknown_value']),
    ...of('text', [{ in: ['a', 'abcdef'] }], ['in.1: unknown_value']),
    ...of('text', [{ is: 'a\u0000' }, { in: ['\u0007'] }, { has: '\ud800' }], ['invalid']),
    ...of('text', [{ at_least: 3 }], ['at_least: wrong_test']),
    ...of('text', [{ has: 'a' }], ['has: wrong_test']),
    ...of('yes', [{ is: true }, { is: false }, { isNot: true }], []),
    ...of('yes', [{ is: 'true' }, { is: 'yes' }], ['is: never_met']),
    ...of('yes', [{ isNot: 'false' }], ['isNot: unknown_value']),
    ...of(
      'number',
      [{ is: '5' }, { at_least: 10 }, { at_least: '9.5' }, { below: '5.01' }, { below: 1_000 }],
      [],
    ),
    ...of(
      'number',
      [{ is: '11' }, { is: '4' }, { is: '5.5' }, { is: 'five' }, { is: '5,0' }],
      ['is: never_met'],
    ),
    ...of('number', [{ at_least: 11 }, { at_least: '10.01' }], ['at_least: never_met']),
    ...of('number', [{ below: 5 }, { below: '0' }], ['below: never_met']),
    ...of('number', [{ at_least: -1 }, { at_least: 'many' }, { below: '1e3' }], ['invalid']),
    ...of('share', [{ at_least: 25 }, { at_least: '100' }, { below: 1 }], []),
    ...of('share', [{ at_least: 101 }], ['at_least: never_met']),
    ...of('share', [{ below: 0 }], ['below: never_met']),
    ...of('day', [{ is: '2026-02-28' }, { older_than: 'P18Y' }, { isNot: '2000-01-01' }], []),
    ...of('day', [{ is: '2026-02-31' }, { is: '1999-12-31' }, { is: 'today' }], ['is: never_met']),
    ...of('day', [{ isNot: '2026-02-31' }], ['isNot: unknown_value']),
    ...of('day', [{ older_than: 'P27Y' }, { older_than: 'P9999Y' }], ['older_than: never_met']),
    ...of('day', [{ older_than: 'P1W' }, { older_than: '18' }, { older_than: 18 }], ['invalid']),
    ...of('birth', [{ older_than: 'P120Y' }], []),
    ...of('birth', [{ older_than: 'P1100Y' }, { older_than: 'P9999Y' }], ['older_than: never_met']),
    ...of(
      'country',
      [{ is: 'DE' }, { is: 'XK' }, { in: ['EU', 'CH'] }, { in: ['high_risk'] }, { in: ['no_postcode'] }],
      [],
    ),
    ...of('country', [{ is: 'XX' }, { is: 'de' }, { is: 'EU' }, { is: 'Germany' }], ['is: never_met']),
    ...of('country', [{ in: ['Germany'] }, { in: [] }, { in: ['eu'] }], ['in: never_met']),
    ...of(
      'country',
      [{ in: ['DE', 'Germany', 'EEA', 'ASEAN'] }],
      ['in.1: unknown_value', 'in.3: unknown_value'],
    ),
    ...of('country', [{ isNot: 'Germany' }], ['isNot: unknown_value']),
    ...of('countries', [{ has: 'DE' }, { in: ['EU'] }], []),
    ...of('countries', [{ has: 'XX' }, { has: 'EU' }], ['has: never_met']),
    ...of('countries', [{ in: ['DE', 'XX'] }], ['in.1: unknown_value']),
    ...of('countries', [{ is: 'DE' }], ['is: wrong_test']),
    ...of('one', [{ is: 'a' }, { isNot: 'b' }, { in: ['a', 'b'] }], []),
    ...of('one', [{ is: 'c' }, { is: 'A' }], ['is: never_met']),
    ...of('one', [{ isNot: 'c' }], ['isNot: unknown_value']),
    ...of('one', [{ in: ['a', 'c'] }], ['in.1: unknown_value']),
    ...of('some', [{ has: 'a' }, { in: ['b'] }], []),
    ...of('some', [{ has: 'c' }], ['has: never_met']),
    ...of('phone2', [{ is: '+4930123456' }, { isNot: '+4930123456' }], []),
    ...of('phone2', [{ is: '030 123456' }, { is: 'phone' }], ['is: never_met']),
    ...of('mail', [{ is: 'ada@example.com' }, { isNot: 'ada@example.com' }], []),
    ...of('mail', [{ is: 'example.com' }], ['is: never_met']),
    ...of('site', [{ is: 'https://example.com' }], []),
    ...of('site', [{ is: 'example.com' }, { is: 'ftp://example.com' }], ['is: never_met']),
    ...of('files', [{ given: true }], []),
    ...of('files', [{ is: 'x' }], ['is: wrong_test']),
    ...of('nowhere', [{ given: true }], ['field: unknown_field']),
  ])('on additional.%s with %j has the problems %j', (name, test, expected) => {
    const asked = { field: `additional.${name}`, ...test }
    const places = expected.map((each) => (each === 'invalid' ? 'asked: invalid' : `asked.${each}`))
    expect(problemsOf({ asked }, FIELDS)).toEqual(places)
    // The problem is found inside of other conditions, and in the other places that have conditions.
    if (expected[0] === 'invalid') return
    const inside = { any: [{ field: 'additional.text', given: true }, { not: asked }] }
    expect(problemsOf({ required: inside }, FIELDS)).toEqual(
      expected.map((each) => `required.any.1.not.${each}`),
    )
  })

  test('on choices of a specified field is met by its choices', () => {
    const has = (value: string) => ({ asked: { field: 'usage_of_account.list_of_services', has: value } })
    expect(problemsOf(has('iban'), FIELDS)).toEqual([])
    expect(problemsOf(has('cash'), FIELDS)).toEqual(['asked.has: never_met'])
  })

  test.each([
    ['approved', []],
    ['aproved', ['beneficiary.rows.0.required.is: never_met']],
  ])('on the verification of a beneficiary with the value %s', (is, expected) => {
    const required = { field: 'verification', is }
    expect(problemsIn(documentOf([], [row('x', { section: 'details', required })]))).toEqual(expected)
  })

  test('of a requirement that contradicts the question is never met', () => {
    const of = (is: boolean) => ({ field: 'additional.yes', is })
    expect(problemsOf({ asked: of(true), required: of(false) }, FIELDS)).toEqual(['required: never_met'])
    expect(problemsOf({ asked: of(true), required: of(true) }, FIELDS)).toEqual([])
  })
})

test.each<[string, object, string[]]>([
  [
    'two rows for one field',
    documentOf([row('x'), row('y'), row('x')]),
    ['company.rows.2.path: duplicate_path'],
  ],
  [
    'two rows of a person',
    documentOf([], [], [row('x', { section: 'details' }), row('x', { section: 'document' })]),
    ['person.rows.1.path: duplicate_path'],
  ],
  ['a name in two parts', documentOf([row('x')], [row('x', { section: 'details' })]), []],
  [
    'a name of a date of a document',
    documentOf([row('bill', { type: 'files', max_age: 'P3M' }), row('bill_issued_on', { type: 'date' })]),
    ['company.rows.1.path: taken_name'],
  ],
  [
    'too many rows',
    documentOf(Array.from({ length: 201 }, (_, n) => row(`f${n}`))),
    ['company.rows: too_many'],
  ],
  [
    'too many choices',
    documentOf([row('x', { type: 'one_of', values: Array.from({ length: 301 }, (_, n) => `v${n}`) })]),
    ['company.rows.0.values: too_many'],
  ],
  ['an unknown part', { ...documentOf(), vault: { rows: [] } }, ['vault: unknown_field']],
  ['a missing part', { company: { rows: [] }, person: { rows: [] } }, ['beneficiary: required']],
  [
    'a specified choice that is unknown',
    documentOf([
      {
        path: 'business_files.signature_type',
        section: 'business_files',
        type: 'one_of',
        values: ['single', 'triple'],
      },
    ]),
    ['company.rows.0.type: fixed_type'],
  ],
  [
    'a specified choice twice',
    documentOf([
      {
        path: 'business_files.signature_type',
        section: 'business_files',
        type: 'one_of',
        values: ['single', 'single'],
      },
    ]),
    ['company.rows.0.values.1: duplicate_value'],
  ],
  [
    'a specified text that is too long',
    documentOf([
      {
        path: 'nature_of_business.legal_company_name',
        section: 'nature_of_business',
        type: 'short_text',
        max_length: 900,
      },
    ]),
    ['company.rows.0.max_length: wrong_limit'],
  ],
])('a document with %s has the problems %j', (_, document, expected) => {
  expect(problemsIn(document)).toEqual(expected)
})

test.each<[string, Row, Row, string[]]>([
  ['a longer text', { type: 'short_text' }, { type: 'text' }, []],
  ['a confirmation', { type: 'boolean' }, { type: 'confirmation' }, []],
  ['other choices', labelled('one_of', ['a']), labelled('one_of', ['b']), []],
  ['a number', { type: 'text' }, { type: 'number_text' }, ['company.rows.0.type: changed_type']],
  [
    'several choices',
    labelled('one_of', ['a']),
    labelled('some_of', ['a']),
    ['company.rows.0.type: changed_type'],
  ],
])('a field can become %s or has a problem', (_, before, after, expected) => {
  const published = [{ part: 'company', ...row('x', before) }] as unknown as readonly PublishedRow[]
  const checked = (others: readonly PublishedRow[]) =>
    checkProfile(
      documentOf([row('x', after)]) as unknown as ProfileDocument,
      ['en', 'de'],
      TODAY,
      others,
    ).map(({ path, code }) => `${path}: ${code}`)
  expect(checked(published)).toEqual(expected)
  expect(checked(published.map((each) => ({ ...each, part: 'person' })))).toEqual([])
})

test('the date of a document cannot replace a field of another type', () => {
  const published = [{ part: 'company', ...row('x_issued_on') }] as unknown as readonly PublishedRow[]
  const document = documentOf([row('x', { type: 'files', section: 'business_files', max_age: 'P3M' })])
  expect(
    checkProfile(document as unknown as ProfileDocument, ['en', 'de'], TODAY, published).map(
      ({ path, code }) => `${path}: ${code}`,
    ),
  ).toEqual(['company.rows.0.max_age: changed_type'])
})
