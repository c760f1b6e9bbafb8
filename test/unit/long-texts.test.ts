/** Tests that no text in a request takes a time that grows with the square of its length. */
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { createRoutes } from '../../src/api/routes/index.ts'
import { findProblems } from '../../src/contracts/check.ts'
import { patchKybBody } from '../../src/contracts/kyb-application.ts'
import { FIELD_TYPES } from '../../src/domain/fields/field.ts'
import { isSameName } from '../../src/domain/names/name.ts'
import { DEFAULT_DOCUMENT } from '../../src/domain/profile/document.ts'
import { enteredValues } from '../../src/pages/console/settings/form.ts'
import { conditionsOf, sentAsking } from '../../src/pages/console/settings/profile/condition.ts'
import { translate } from '../../src/pages/texts/index.ts'
import { compareFields } from '../../src/pages/values/form-values.ts'
import { readPercentage } from '../../src/pages/values/numbers.ts'
import { cpuMsOf } from '../support/cpu-time.ts'

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
      ['a fee', () => readPercentage(text)],
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
