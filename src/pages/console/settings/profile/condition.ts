/** Reads conditions from the lines of a form, and shows them as lines. */
import { withoutAccents } from '../../../../domain/base/accents.ts'
import {
  CONDITION_LIMITS,
  type Condition,
  type TestName,
  testOf,
} from '../../../../domain/fields/condition.ts'
import { isYesOrNo } from '../../../../domain/fields/field.ts'
import type { Part, ProfileDocument, ProfileRow } from '../../../../domain/profile/document.ts'
import { isSame } from '../../../../domain/profile/draft.ts'
import { periodInWords } from '../../../../domain/profile/words.ts'
import type { Frame } from '../../../components/layout.tsx'
import { BEGAN, type Sent } from '../../../values/form-values.ts'
import { chosenOf, textOf } from '../../base/form.ts'
import { languageOf, nameableRows, optionsOf } from './fields.ts'

/** A test of one field, as the form shows it. */
export interface Line {
  readonly field: string
  readonly test: LineTest
  readonly value: string
}

/** The tests in the form. `given: false` is a test of its own there. */
export const LINE_TESTS = [
  'is',
  'isNot',
  'in',
  'has',
  'given',
  'not_given',
  'at_least',
  'below',
  'older_than',
] as const
type LineTest = (typeof LINE_TESTS)[number]

/** When pages ask a question: always, or if all or some of the lines are true. `other` keeps a condition without lines. */
export const WHEN = ['always', 'all', 'any'] as const
type When = (typeof WHEN)[number] | 'other'

/** The part of a row that says when pages ask the question, as the form shows it. */
interface Asking {
  readonly need: 'required' | 'optional'
  readonly when: When
  readonly lines: readonly Line[]
  /** Whether pages ask the question if the condition is not met. */
  readonly otherwise: 'not_asked' | 'optional'
}

type Asked = Pick<ProfileRow, 'asked' | 'required'>

/** Returns how the form shows the row. */
export function askingOf(frame: Frame, document: ProfileDocument, part: Part, row: Asked): Asking {
  const { asked, required } = row
  const isBoth = asked !== undefined && typeof required === 'object'
  const condition = typeof required === 'object' ? required : asked
  const need = required ? 'required' : 'optional'
  const otherwise = asked ? 'not_asked' : condition ? 'optional' : 'not_asked'
  if (!condition) return { need, when: 'always', lines: [], otherwise }
  const parts = 'all' in condition ? condition.all : 'any' in condition ? condition.any : [condition]
  const paths = nameableRows(document, part).map(({ path }) => path)
  const lines = parts.map((each) => lineOf(frame, each))
  const hasOther = lines.some((line) => line === null || !paths.includes(line.field))
  if ((isBoth && !isSame(asked, required)) || lines.length === 0 || hasOther)
    return { need, when: 'other', lines: [], otherwise }
  return { need, when: 'any' in condition ? 'any' : 'all', lines: lines as Line[], otherwise }
}

function lineOf(frame: Frame, condition: Condition): Line | null {
  if ('all' in condition || 'any' in condition || 'not' in condition) return null
  const { field } = condition
  const [test, by] = testOf(condition) ?? ['given', true]
  if (test === 'given') return { field, test: by ? 'given' : 'not_given', value: '' }
  if (test === 'older_than') return { field, test, value: periodInWords(languageOf(frame), String(by)) }
  return { field, test, value: [by].flat().map(String).join(', ') }
}

/** Returns the lines that the form has sent, without empty ones. */
function sentLines(sent: Sent): Line[] {
  const lines = Object.keys(sent).flatMap((name): [number, Line][] => {
    const [, number] = /^field_(\d{1,2})$/.exec(name) ?? []
    const field = textOf(sent, name)
    if (number === undefined || field === null) return []
    const test = (textOf(sent, `test_${number}`) ?? 'is') as LineTest
    return [[Number(number), { field, test, value: sentValue(sent, `value_${number}`) }]]
  })
  const sorted = lines.sort(([a], [b]) => a - b).map(([, line]) => line)
  // The schema refuses a condition with more parts.
  return sorted.slice(0, CONDITION_LIMITS.parts + 1)
}

/** The maximum length of a line's value, which has room for the names of all countries. */
const MAX_VALUE = 5_000

/** Returns the text, or the chosen values in their stored order, which the list does not keep. */
function sentValue(sent: Sent, name: string): string {
  const began = textOf(sent, BEGAN + name)?.split(',') ?? []
  return (chosenOf(sent, name, began) ?? began).join(', ').trim().slice(0, MAX_VALUE)
}

export const sentAsking = (sent: Sent): Asking => ({
  need: textOf(sent, 'need') === 'required' ? 'required' : 'optional',
  when: (textOf(sent, 'when') ?? 'always') as When,
  lines: sentLines(sent),
  otherwise: textOf(sent, 'otherwise') === 'optional' ? 'optional' : 'not_asked',
})

/** Returns the conditions of a row, or the number of the first line that cannot be read. */
export function conditionsOf(
  frame: Frame,
  document: ProfileDocument,
  part: Part,
  { need, when, lines, otherwise }: Asking,
): Asked | number {
  const required = need === 'required'
  if (when === 'always' || lines.length === 0) return { required: required || undefined, asked: undefined }
  const rows = nameableRows(document, part)
  const tests = lines.map((line) => conditionOf(frame, rows, line))
  const wrong = tests.indexOf(null)
  if (wrong >= 0) return wrong
  const [first, ...more] = tests as Condition[]
  const condition = (more.length === 0 ? first : { [when]: tests }) as Condition
  if (otherwise === 'not_asked') return { required: required || undefined, asked: condition }
  return { required: required ? condition : undefined, asked: undefined }
}

const DECIMAL = /^\d+(\.\d+)?$/

function conditionOf(
  frame: Frame,
  rows: readonly ProfileRow[],
  { field, test, value }: Line,
): Condition | null {
  const row = rows.find(({ path }) => path === field)
  if (!row) return null
  const of = <T extends TestName>(name: T, by: unknown) => ({ field, [name]: by }) as unknown as Condition
  if (test === 'given' || test === 'not_given') return of('given', test === 'given')
  if (value === '') return null
  if (test === 'at_least' || test === 'below') {
    const number = value.replace(',', '.')
    return DECIMAL.test(number) ? of(test, number) : null
  }
  if (test === 'older_than') {
    const period = readPeriod(value)
    return period === null ? null : of(test, period)
  }
  if (test === 'in') {
    const read = readValues(frame, row, value)
    return read.includes(null) || read.length === 0 ? null : of(test, read)
  }
  const read = readerOf(frame, row)(value)
  if (read === null) return null
  return of(test, isYesOrNo(row.type) ? read === 'true' : read)
}

/** The first letters of years, months and days in each language of the console. */
const UNITS: Readonly<Record<string, string>> = { y: 'Y', j: 'Y', m: 'M', d: 'D', t: 'D' }

/** Reads a period such as “18 years” or `P18Y`. */
export function readPeriod(text: string): string | null {
  if (/^P\d{1,4}[YMD]$/.test(text)) return text
  const [, count, letter = ''] = /^(\d{1,4})\s*(\p{L})/u.exec(text) ?? []
  const unit = UNITS[letter.toLowerCase()]
  return count === undefined || unit === undefined ? null : `P${count}${unit}`
}

/** Returns the values in a list of names or codes, with null for each unknown one. The schema refuses a longer list. */
export function readValues(frame: Frame, row: ProfileRow, text: string): (string | null)[] {
  const read = readerOf(frame, row)
  return text
    .split(/[,;]/, CONDITION_LIMITS.values + 1)
    .flatMap((each) => (each.trim() ? read(each.trim()) : []))
}

/** Returns a function that finds the value with a name. It returns the name if the field has no list of values. */
function readerOf(frame: Frame, row: ProfileRow): (text: string) => string | null {
  const options = optionsOf(frame, row)
  if (options.length === 0) return (text) => text
  const byName = new Map(
    options.flatMap(({ value, label }) => [value, label].map((name) => [lettersOf(name), value])),
  )
  return (text) => byName.get(lettersOf(text)) ?? null
}

const lettersOf = (name: string): string => withoutAccents(name).toUpperCase()
