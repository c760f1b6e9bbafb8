/** Tests that no text in a request takes a time that grows with the square of its length. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { createRoutes } from '../../../src/api/routes/index.ts'
import { readGroupPatch } from '../../../src/api/scim/requests.ts'
import { findProblems } from '../../../src/contracts/check.ts'
import { patchKybBody } from '../../../src/contracts/kyb-application.ts'
import { matchesName, namePartsOf, searchWordsOf, spellingsOf } from '../../../src/db/lists/name-words.ts'
import { nameFile } from '../../../src/domain/base/file-name.ts'
import { FIELD_TYPES } from '../../../src/domain/fields/field.ts'
import { canFlag } from '../../../src/domain/identification/decision.ts'
import { DEFAULT_APPLICANT_FORM } from '../../../src/domain/identification/person-form.ts'
import { verifiedIn } from '../../../src/domain/kyb/beneficiary-check.ts'
import { emptyContent } from '../../../src/domain/kyb/fields.ts'
import { DEFAULT_FORM, type Form } from '../../../src/domain/kyb/form.ts'
import { itemsOf } from '../../../src/domain/kyb/progress.ts'
import { countDocuments, currentlyDue, dueMessage, findDue } from '../../../src/domain/kyb/requirements.ts'
import { isSameName, spellName } from '../../../src/domain/names/name.ts'
import { DEFAULT_DOCUMENT } from '../../../src/domain/profile/document.ts'
import { enteredValues } from '../../../src/pages/console/base/form.ts'
import { conditionsOf, sentAsking } from '../../../src/pages/console/settings/profile/condition.ts'
import { readFee } from '../../../src/pages/console/settings/vault.tsx'
import { translate } from '../../../src/pages/texts/index.ts'
import { compareFields } from '../../../src/pages/values/form-values.ts'
import { hasFormat } from '../../../src/process/number-formats.ts'
import { cpuMsOf } from '../../support/cpu-time.ts'

const LENGTH = 60_000
const LIMIT_MS = 300
/** A text of a third of the length takes a ninth of the time, if the time grows with the square. */
const SUSPECT_MS = LIMIT_MS / 9 / 3

/** Returns texts that repeat signs for which patterns and parsers have rules. */
const textsOf = (length: number) =>
  ['a', '(0', '( 0', '. ', 'a-', 'a.', 'é', '\u0301', '０', ',', '\u200d', '١']
    .map((part) => part.repeat(length / part.length))
    .flatMap((text) => [`+${text}x`, `https://a.de/${text}`, `a@${text}`])

/** Returns the schemas of all texts in the schema. */
function textsIn(schema: z.core.$ZodType): z.core.$ZodType[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return Object.values(def.shape).flatMap(textsIn)
    case 'array':
      return textsIn(def.element)
    case 'record':
      return [def.keyType, ...textsIn(def.valueType)]
    case 'union':
      return def.options.flatMap(textsIn)
    case 'pipe':
      return [schema, ...textsIn(def.in), ...textsIn(def.out)]
    case 'optional':
    case 'nullable':
    case 'default':
      return textsIn(def.innerType)
    case 'transform':
      return []
    default:
      return [schema]
  }
}

const { client, operator } = createRoutes({ ENVIRONMENT: 'sandbox', WEBHOOK_ALLOW_PRIVATE: true })
const schemas = new Set(
  [...client, ...operator].flatMap(({ schemas: { params, query, body } }) =>
    [params, query, body].flatMap((schema) => (schema ? textsIn(schema) : [])),
  ),
)

test('parses long texts quickly', () => {
  const slow: string[] = []
  const [short, long] = [textsOf(LENGTH / 3), textsOf(LENGTH)]
  for (const schema of schemas) {
    const msOf = (text: string) => cpuMsOf(() => (schema as z.ZodType).safeParse(text))
    for (const [n, text] of long.entries())
      if (msOf(short[n] ?? '') > SUSPECT_MS && msOf(text) > LIMIT_MS) slow.push(text.slice(0, 20))
  }
  expect(slow).toEqual([])
})

/** Forms can be longer than texts in the API. */
const FORM = 1_000_000
const frame = { language: 'en', t: translate('en'), vault: null, vaultName: null, path: '/' } as const

const unknownFields = (count: number) =>
  findProblems(patchKybBody, Object.fromEntries(Array.from({ length: count }, (_, n) => [`field_${n}`, 1])))

/** Returns a condition with long values, as the form of a profile sends it. */
function conditionWith(value: string) {
  const field = 'nature_of_business.country_address'
  const lines = Array.from({ length: 40 }, (_, n) => ({ [`field_${n}`]: field, [`test_${n}`]: 'in' }))
  const values = lines.map((_, n) => ({ [`value_${n}`]: value.slice(0, FORM / 10) }))
  const sent = Object.assign({ when: 'all' }, ...lines, ...values)
  return conditionsOf(frame, DEFAULT_DOCUMENT, 'company', sentAsking(sent))
}

describe.each(['1', '9', '1 000 ', "1'000 ", '0.', 'DE,', 'x,', '[', '\u0301'])(
  'reads a form with %j',
  (part) => {
    const text = part.repeat(FORM / part.length)
    const readers: [string, () => unknown][] = [
      ...FIELD_TYPES.map((type): [string, () => unknown] => [
        `a field of the type ${type}`,
        () => {
          const sent = { x: text, 'was:x': text }
          const fields = { x: { type, values: [], currency: 'EUR' } } as never
          return compareFields({ prefix: '', fields, sent, language: 'en' }, {})
        },
      ]),
      ['a fee', () => readFee(`${text}.`)],
      [
        'choices',
        () => {
          const chosen = Array.from({ length: 9_000 }, (_, n) => `${n}`)
          const field = { name: 'x', choose: 'some', value: () => [] } as const
          return enteredValues({ x: chosen, 'was:x': text.replaceAll(part, 'a,') }, [field], { x: [] })
        },
      ],
      ['a condition', () => conditionWith(text)],
      ['an unknown field', () => findProblems(patchKybBody, { [text]: 1 })],
    ]
    test.each(readers)('as %s', (_, read) => expect(cpuMsOf(read)).toBeLessThan(LIMIT_MS * 3))
  },
)

test('suggests fields only for the first unknown ones', () => {
  let problems: readonly { message?: string }[] = []
  expect(cpuMsOf(() => (problems = unknownFields(19_000)))).toBeLessThan(LIMIT_MS * 3)
  expect(problems).toHaveLength(19_000)
})

test('compares names quickly whose letters can be omitted', () => {
  const name = 'ъ'.repeat(5_000)
  expect(cpuMsOf(() => isSameName(name, `${name}x`))).toBeLessThan(LIMIT_MS)
})

/** Letters that stand for many others, and marks that normalisation sorts: next to, between and after other signs. */
describe.each(['\ufdfa', '\u3300', '\uff9e\u0301', '\u0301\u200d\u0323', '\u0301\u0323'])(
  'normalises a text of %j',
  (part) => {
    const name = part.repeat(5_000 / part.length)
    const long = `a${part.repeat(16_000 / part.length)}`
    const words = searchWordsOf('anna')
    const owners = Array.from({ length: 100 }, (_, n) => `${name}${n}`)
    test.each<[string, () => unknown]>([
      ['names of owners', () => owners.map(spellName)],
      ['compared names', () => owners.map((each) => isSameName(each.slice(0, 500), each))],
      ['the parts of names', () => namePartsOf(owners)],
      ['found names', () => owners.map((each) => matchesName(words, each))],
      ['numbers', () => owners.map((each) => hasFormat('vat', each, 'DE'))],
      ['a searched text', () => spellingsOf(long)],
      ['the name of a file', () => nameFile(`${long}.pdf`, 'application/pdf')],
    ])('as %s', (_, work) => expect(cpuMsOf(work)).toBeLessThan(LIMIT_MS * 10))
  },
)

test('compares the name of each check once, however often a page needs it', () => {
  const list = Array.from({ length: 100 }, (_, n) => ({
    external_id: `${n}`,
    email: `${n}@example.com`,
    full_name: `${'ъ'.repeat(500)}${n}`,
  }))
  const checks = new Map(
    list.map(({ external_id: id }) => {
      const profile = { name: 'ъ'.repeat(400), surname: 'ъ'.repeat(90) }
      return [id, { id, verification: 'approved', waitingOn: 'nobody', profile, confirmedHits: 0 }] as const
    }),
  )
  const content = { ...emptyContent(), beneficiaries: { beneficiaries_list: list } }
  const forEachPerson = () => list.map(() => verifiedIn(content, checks as never))
  expect(cpuMsOf(forEachPerson)).toBeLessThan(LIMIT_MS * 10)
})

/** Returns a form whose beneficiaries have fields of this kind, and an application of 100 people without answers. */
function hostileForm(field: (n: number) => object) {
  const added = Object.fromEntries(Array.from({ length: 190 }, (_, n) => [`additional.f${n}`, field(n)]))
  const form = { ...DEFAULT_FORM, version: 1, today: '2026-01-01' }
  const list = Array.from({ length: 100 }, (_, n) => ({ external_id: randomUUID(), email: `${n}@a.de` }))
  const content = { ...emptyContent(), beneficiaries: { beneficiaries_list: list } }
  const circumstances = {
    verified: new Set(),
    mismatched: new Set(),
    unreadable: new Set(),
    today: form.today,
  }
  return {
    content,
    known: { ...circumstances, form: { ...form, person: { ...form.person, ...added } } } as never,
  }
}

const values = Array.from({ length: 300 }, (_, n) => `value_${n}`)
/** A profile can have 1,000 tests. */
const required = () => ({ any: Array.from({ length: 5 }, () => ({ field: ADDRESS, in: [...values] })) })
const ADDRESS = 'nature_of_business.legal_address'

test('tests a long answer quickly for each person', () => {
  const { content, known } = hostileForm(() => ({ type: 'text', required: required() }))
  content.nature_of_business.legal_address = 'x,'.repeat(2_500)
  expect(cpuMsOf(() => findDue(content, known))).toBeLessThan(LIMIT_MS * 20)
})

test('compares the due details of all people with the required ones in linear time', () => {
  const { content, known } = hostileForm(() => ({ type: 'files', required: true }))
  const due = currentlyDue(content, known)
  const { form } = known as { form: Form }
  const facts = { form, content, currentlyDue: due, corrections: [], checks: new Map() }
  const count = () => countDocuments(content, { form, verified: new Set(), due })
  expect(cpuMsOf(count)).toBeLessThan(LIMIT_MS * 5)
  let items: ReturnType<typeof itemsOf> = []
  expect(cpuMsOf(() => (items = itemsOf(facts)))).toBeLessThan(LIMIT_MS * 10)
  const people = items.filter((each) => each.kind === 'person')
  expect(people).toHaveLength(100)
  expect(new Set(people.map(({ open, total }) => `${open.length} ${total}`)).size).toBe(1)
  expect(people[0]?.open.length).toBeGreaterThan(190)
})

test('repeats no long condition for each person', () => {
  const { content, known } = hostileForm(() => ({ type: 'text', required: { not: required() } }))
  const { form } = known as { form: Form }
  let length = 0
  const explain = () => {
    for (const due of findDue(content, known)) length += dueMessage(form, due).length
  }
  expect(cpuMsOf(explain)).toBeLessThan(LIMIT_MS * 20)
  expect(length).toBeLessThan(20_000 * 500)
})

test('finds out once which fields of a person a decision can name', () => {
  const details = Object.fromEntries(
    Array.from({ length: 190 }, (_, n) => [`additional.f${n}`, { type: 'text', required: required() }]),
  )
  const form = { ...DEFAULT_APPLICANT_FORM, version: 1, details }
  const record = { form, kind: 'person', origin: 'client', profile: {} } as never
  const flagAll = () => values.map((fileId) => canFlag(record, { path: 'document_front', fileId }))
  expect(cpuMsOf(flagAll)).toBeLessThan(LIMIT_MS * 5)
})

test('applies the changes of a directory to the members of a group in linear time', () => {
  const [added, removed] = ['a', 'b'].map((digit) =>
    Array.from({ length: 9_900 }, () => randomUUID().replace(/.$/, digit)),
  )
  const operation = (op: string, value: unknown) => ({ op, path: 'members', value })
  const Operations = [operation('add', added), ...Array(9).fill(operation('remove', removed))]
  let members: readonly string[] = []
  expect(cpuMsOf(() => (members = readGroupPatch({ Operations }).members([])))).toBeLessThan(LIMIT_MS * 5)
  expect(members).toEqual(added)
})
