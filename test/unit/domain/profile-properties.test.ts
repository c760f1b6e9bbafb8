/** Tests rules that hold for all profiles, with random ones, and profiles that are hostile. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findProblems } from '../../../src/contracts/check.ts'
import { profileDocument } from '../../../src/contracts/profile.ts'
import { forPage, isMet } from '../../../src/domain/fields/condition.ts'
import { type Field, isAsked } from '../../../src/domain/fields/field.ts'
import {
  type ApplicantForm,
  consentDeclined,
  consentGiven,
  encodeValue,
  factsOfApplicant,
  fillIn,
  findPersonDue,
  outsideLimits,
  typedOf,
} from '../../../src/domain/identification/person-form.ts'
import type { Profile } from '../../../src/domain/identification/profile.ts'
import { type Beneficiary, emptyContent, type KybContent, SECTIONS } from '../../../src/domain/kyb/fields.ts'
import {
  changeable,
  companyHolder,
  DEFAULT_FORM,
  type Form,
  factsOf,
  fieldAt,
  personHolder,
} from '../../../src/domain/kyb/form.ts'
import { itemsOf } from '../../../src/domain/kyb/progress.ts'
import { currentlyDue } from '../../../src/domain/kyb/requirements.ts'
import { checkProfile } from '../../../src/domain/profile/check.ts'
import {
  applicantFieldsOf,
  countryGroups,
  DOCUMENT_SECTION,
  fieldsOf,
  PERSON_SECTION,
  type ProfileDocument,
  type ProfileRow,
} from '../../../src/domain/profile/document.ts'
import { canBeMet } from '../../../src/domain/profile/satisfiable.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'
import { answerTo, conditionOn, label, rowsIn, type Sections } from '../../support/random-profile.ts'

const SCRIPT: string = '../../../src/pages/scripts/condition.js'
const { isMet: isMetInPage } = (await import(SCRIPT)) as {
  isMet: (condition: object, valuesOf: (field: string) => readonly string[]) => boolean
}

const TODAY = '2026-11-28'

const randomRows = rowsIn(SECTIONS as unknown as Sections, 11)
const randomRowsOfPerson = rowsIn([PERSON_SECTION, DOCUMENT_SECTION], 11)

const documentOf = (
  rows: readonly ProfileRow[],
  beneficiary: readonly ProfileRow[] = [],
  person: readonly ProfileRow[] = [],
) => ({ company: { rows }, beneficiary: { rows: beneficiary }, person: { rows: person } })

/** The problems of a document, except that random conditions can contradict themselves. */
const problemsIn = (document: ProfileDocument) =>
  checkProfile(document, ['en', 'de'], TODAY).filter(({ code }) => code !== 'never_met')

const formOf = (rows: readonly ProfileRow[], ofBeneficiary: readonly ProfileRow[] = []): Form => ({
  ...DEFAULT_FORM,
  ...fieldsOf(documentOf(rows, ofBeneficiary)),
  version: 1,
  groups: countryGroups([]),
  today: TODAY,
})

const NOW = new Date(`${TODAY}T12:00:00Z`)

const applicantFormOf = (document: ProfileDocument): ApplicantForm => ({
  ...applicantFieldsOf(document),
  version: 1,
  groups: countryGroups([]),
  today: TODAY,
})

const known = (form: Form) => ({
  form,
  today: TODAY,
  unreadable: new Set<string>(),
  verified: new Set<string>(),
  mismatched: new Set<string>(),
})

const factsFor = (form: Form, content: KybContent) => ({
  form,
  content,
  currentlyDue: currentlyDue(content, known(form)),
  corrections: [],
  checks: new Map(),
})

const BELOW_ADA = 'beneficiaries.beneficiaries_list.ada.'

/** Returns content with a director whose specified fields are filled in. */
function withDirector() {
  const content = emptyContent()
  const ada: Beneficiary = {
    ...{ external_id: 'ada', email: 'ada@example.com', full_name: 'Ada' },
    roles: ['director'],
    politically_exposed: false,
    beneficiary_identification: ['018f4d2e'],
  }
  content.beneficiaries.beneficiaries_list = [ada]
  return { content, ada }
}

/** Answers everything that is due, as an applicant does who follows the page, until nothing changes. */
function complete(form: Form): KybContent {
  const { content, ada } = withDirector()
  for (let round = 0; round < 40; round++) {
    const due = currentlyDue(content, known(form))
    if (due.length === 0) break
    for (const path of due) {
      const [values, name] = path.startsWith(BELOW_ADA)
        ? personHolder(ada, path.slice(BELOW_ADA.length))
        : companyHolder(content, path)
      values[name] = answerTo(fieldAt(form, path) as Field)
    }
  }
  return content
}

describe('every profile without problems', () => {
  test('can be completed, and leads to each missing answer', () => {
    fc.assert(
      fc.property(randomRows, rowsIn([PERSON_SECTION], 5), (rows, ofBeneficiary) => {
        expect(problemsIn(documentOf(rows, ofBeneficiary))).toEqual([])
        const form = formOf(rows, ofBeneficiary)
        for (const content of [emptyContent(), withDirector().content]) {
          const start = factsFor(form, content)
          const open = itemsOf(start).flatMap((item) => item.open)
          expect([...open].sort()).toEqual([...start.currentlyDue].sort())
        }
        expect(currentlyDue(complete(form), known(form))).toEqual([])
      }),
    )
  })

  test('can be completed by a person, who can then withdraw everything', () => {
    fc.assert(
      fc.property(randomRowsOfPerson, (rows) => {
        const document = documentOf([], [], rows)
        expect(problemsIn(document)).toEqual([])
        const form = applicantFormOf(document)
        const fields = { ...typedOf(form), ...form.photos }
        let profile: Profile = fillIn({}, consentGiven({}, 'en', NOW))
        for (let due = findPersonDue(profile, [], form), round = 0; due.length > 0 && round < 40; round++) {
          // Each due field is on a page that asks for it.
          for (const name of due)
            expect(isAsked(fields[name] as Field, factsOfApplicant(profile, form)), name).toBe(true)
          const answers = due.map((name) => [name, encodeValue(answerTo(fields[name] as Field))])
          profile = fillIn(profile, Object.fromEntries(answers))
          due = findPersonDue(profile, [], form)
        }
        expect(findPersonDue(profile, [], form)).toEqual([])
        expect(outsideLimits({}, profile, form)).toEqual([])
        const withdrawn = fillIn(profile, consentDeclined(profile, NOW))
        const kept = ['name', 'surname', 'email', 'declined_at']
        expect(Object.keys(withdrawn).filter((name) => !kept.includes(name))).toEqual([])
      }),
    )
  })

  test('asks a person the same on the server and in the page', () => {
    const seeds = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 })
    fc.assert(
      fc.property(randomRowsOfPerson, seeds, (rows, seed) => {
        const form = applicantFormOf(documentOf([], [], rows))
        const given = rows.filter((_, nth) => seed[nth])
        const profile = Object.fromEntries(
          given.map((row) => [row.path, String(encodeValue(answerTo(row as Field)))]),
        )
        const facts = factsOfApplicant(profile, form)
        const entries = (field: string) =>
          [facts.valueAt(field) ?? []].flat().flatMap((each) => String(each).split(','))
        for (const field of Object.values({ ...typedOf(form), ...form.photos })) {
          if (!field.asked) continue
          const inPage = forPage(field.asked, facts, (name) => name)
          expect(isMetInPage(inPage, entries)).toBe(isAsked(field, facts))
        }
      }),
    )
  })

  test('has no condition that is reported as never met, but is met', () => {
    const conditions = randomRows
      .filter((rows) => rows.length > 0)
      .chain((rows) =>
        fc.record({
          rows: fc.constant(rows),
          condition: conditionOn(rows),
          seed: fc.infiniteStream(fc.nat(3)),
        }),
      )
    fc.assert(
      fc.property(conditions, ({ rows, condition, seed }) => {
        const fields = new Map(rows.map((row) => [row.path, row]))
        const answers = new Map(
          rows.map((row) => {
            const { value: nth } = seed.next()
            const other = { boolean: false, one_of: 'c', number_text: '9', country: 'US', date: '2026-01-01' }
            // A number outside its limits is no answer.
            const more =
              row.maximum === undefined
                ? Object.entries(other).find(([type]) => type === row.type)?.[1]
                : undefined
            return [row.path, [undefined, answerTo(row as Field), more, more][nth ?? 0]] as const
          }),
        )
        const facts = {
          valueAt: (path: string) => answers.get(path),
          today: TODAY,
          groups: countryGroups([]),
        }
        if (isMet(condition, facts))
          expect(
            canBeMet(condition, (path) => fields.get(path) as Field, {
              today: TODAY,
              groups: countryGroups([]),
            }),
          ).toBe(true)
      }),
    )
  })

  test('asks the same on the server and in the page', () => {
    const answers = fc.record({ seed: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }) })
    fc.assert(
      fc.property(randomRows, answers, (rows, { seed }) => {
        const form = formOf(rows)
        const content = emptyContent()
        const added = changeable(content, 'additional')
        for (const [nth, { path }] of rows.entries())
          if (seed[nth]) added[path.slice('additional.'.length)] = answerTo(fieldAt(form, path) as Field)
        const facts = factsOf(form, content)
        const entries = (field: string) =>
          [facts.valueAt(field) ?? []].flat().flatMap((each) => String(each).split(','))
        for (const field of Object.values(form.company.additional)) {
          if (!field.asked) continue
          const inPage = forPage(field.asked, facts, (name) => name)
          expect(isMetInPage(inPage, entries)).toBe(isAsked(field, facts))
        }
      }),
    )
  })
})

const row = (more: object) => ({
  path: 'additional.x',
  section: 'nature_of_business',
  type: 'short_text',
  label,
  ...more,
})
const nested = (depth: number): object =>
  depth === 0 ? { field: 'additional.y', given: true } : { not: nested(depth - 1) }
const parsed = (json: string): unknown => JSON.parse(json)

describe('a hostile profile', () => {
  test.each<[string, unknown]>([
    [
      'too many rows',
      documentOf(Array.from({ length: 201 }, (_, n) => row({ path: `additional.f${n}` })) as never),
    ],
    [
      'too many choices',
      documentOf([row({ type: 'one_of', values: Array.from({ length: 301 }, (_, n) => `v${n}`) })] as never),
    ],
    ['a long label', documentOf([row({ label: { en: 'x'.repeat(301) } })] as never)],
    ['a long help text', documentOf([row({ help: { en: 'x'.repeat(2_001) } })] as never)],
    ['deep conditions', documentOf([row({ asked: nested(6) })] as never)],
    ['very deep conditions', documentOf([row({ asked: nested(2_000) })] as never)],
    [
      'broad conditions',
      documentOf([row({ asked: { any: Array.from({ length: 21 }, () => nested(0)) } })] as never),
    ],
    ['a long name', documentOf([row({ path: `additional.${'x'.repeat(61)}` })] as never)],
    ['the name __proto__', documentOf([row({ path: 'additional.__proto__' })] as never)],
    ['the name constructor', documentOf([row({ path: 'additional.constructor' })] as never)],
    ['a path into a prototype', documentOf([row({ path: '__proto__.polluted' })] as never)],
    ['a choice __proto__', documentOf([row({ type: 'one_of', values: ['__proto__'] })] as never)],
    ['a language that is none', documentOf([row({ label: { '<b>': 'x' } })] as never)],
    ['control characters', documentOf([row({ label: { en: 'a\u0000b' } })] as never)],
    ['an endless period', documentOf([row({ type: 'files', max_age: 'P99999Y' })] as never)],
    ['a negative limit', documentOf([row({ min_length: -1 })] as never)],
    ['an infinite limit', documentOf([row({ type: 'number_text', maximum: '1e400' })] as never)],
    ['a regular expression', documentOf([row({ format: '^(a+)+$' })] as never)],
    ['a condition without a test', documentOf([row({ asked: {} })] as never)],
    ['a condition that is a list', documentOf([row({ asked: [] })] as never)],
    [
      'control characters in a condition',
      documentOf([row({ asked: { field: 'a\u0000', given: true } })] as never),
    ],
    ['control characters in a group', documentOf([row({ group: 'a\u0000' })] as never)],
    [
      'control characters in a choice',
      documentOf([row({ value_labels: { 'a\u0000': { en: 'x' } } })] as never),
    ],
    ['a lone surrogate', documentOf([row({ asked: { field: 'a', is: '\ud800' } })] as never)],
    [
      'too many tests',
      documentOf([
        row({
          asked: { all: Array(20).fill({ any: Array(20).fill({ all: [nested(0), nested(0), nested(0)] }) }) },
        }),
      ] as never),
    ],
    ['text instead of an object', 'profile'],
    ['nothing', null],
  ])('is refused with %s', (_, value) => {
    expect(findProblems(profileDocument, value).length).toBeGreaterThan(0)
  })

  test('pollutes no prototype', () => {
    const json = JSON.stringify(documentOf([row({}) as never])).replace(
      '"label":',
      '"__proto__":{"polluted":true},"label":',
    )
    profileDocument.safeParse(parsed(json))
    expect(({} as Record<string, unknown>).polluted).toBe(undefined)
  })

  test('loses direction marks and keeps markup as text', () => {
    const value = documentOf([row({ label: { en: '\u202eabc<script>', de: 'x' } }) as never])
    const { data } = profileDocument.safeParse(value)
    expect(data?.company.rows[0]?.label?.en).toBe('abc<script>')
  })

  test('with long lists in its conditions is checked quickly', () => {
    const lists = (field: string) => ({
      any: Array.from({ length: 20 }, (_, n) => ({
        field,
        in: Array.from({ length: 300 }, (_, k) => `${n}-${k}`),
      })),
    })
    const rows = Array.from({ length: 10 }, (_, n) =>
      row({ path: `additional.f${n}`, asked: lists(`additional.f${n + 1}`) }),
    ) as never
    const document = documentOf([...Array.from(rows), row({ path: 'additional.f10' })] as never)
    expect(cpuMsOf(() => checkProfile(document, ['en', 'de'], TODAY))).toBeLessThan(2_000)
  })

  test.each([
    [{ type: 'short_text', max_length: 0 }],
    [{ type: 'number_text', minimum: '0.2', maximum: '0.8', decimals: 0 }],
    [{ type: 'date', earliest: '+P1M' }],
    [{ type: 'date', earliest: '2030-01-01' }],
    [{ type: 'date', earliest: 'today', latest: 'P1D' }],
  ])('has no answer to %j', (more) => {
    const problems = checkProfile(documentOf([row(more)] as never), ['en', 'de'], TODAY)
    expect(problems).toMatchObject([{ path: 'company.rows.0', code: 'no_range' }])
  })

  test.each([
    [{ type: 'short_text', min_length: 500, max_length: 500 }],
    [{ type: 'number_text', minimum: '0.2', maximum: '1.8', decimals: 0 }],
    [{ type: 'number_text', minimum: '9'.repeat(40) }],
    [{ type: 'number_text', maximum: 0 }],
    [{ type: 'percentage_text', minimum: '99.5', decimals: 0 }],
    [{ type: 'date', earliest: '2026-06-01' }],
    [{ type: 'date', earliest: '+P1M', latest: '+P9999Y' }],
    [{ type: 'date', earliest: 'P9999Y', latest: 'P18Y' }],
  ])('has answers to %j', (more) => {
    expect(checkProfile(documentOf([row(more)] as never), ['en', 'de'], TODAY)).toEqual([])
  })

  test('with questions in a long circle is found quickly', () => {
    const rows = Array.from({ length: 200 }, (_, n) =>
      row({ path: `additional.f${n}`, asked: { field: `additional.f${(n + 1) % 200}`, given: true } }),
    ) as never
    const codes: string[] = []
    const check = () =>
      codes.push(...checkProfile(documentOf(rows), ['en', 'de'], TODAY).map(({ code }) => code))
    expect(cpuMsOf(check)).toBeLessThan(2_000)
    expect(new Set(codes)).toEqual(new Set(['cycle']))
  })
})
