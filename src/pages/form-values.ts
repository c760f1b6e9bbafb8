/**
 * Reads the values that a form sends and compares them with the stored ones.
 *
 * Next to each input the form has a hidden one, which holds the value that the field began with. So three values of
 * a field are known: what it began with, what was sent, and what is stored now. They show whether the applicant
 * changed the field, and whether someone else has changed it in the meantime. They are compared as text (`plain`),
 * because a control can bring a value back in another form: a list in another order, a line break as two characters.
 */
import { type Field, type Fields, type FieldType, isYesOrNo } from '../domain/kyb/field.ts'

/** The body of a form. */
export type Sent = Readonly<Record<string, string | readonly string[] | undefined>>
type Values = Readonly<Record<string, unknown>>

/** Precedes the name of an input in the name of the one with the value that it began with. */
export const BEGAN = 'was:'

/** Returns a value as text, the same for every form in which a control brings it back. */
export const plain = (value: unknown): string => {
  if (Array.isArray(value)) return [...value].sort().join()
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : String(value ?? '')
}

export const isEmpty = (value: unknown): boolean => plain(value) === ''

/** Returns the values of the fields that the form has, without files. */
export function readFields(prefix: string, fields: Fields, sent: Sent): Record<string, unknown> {
  const entries = Object.entries(fields).flatMap(([name, { type }]): [string, unknown][] => {
    const given = sent[prefix + name]
    if (type === 'files' || given === undefined) return []
    const value = readField(type, [given].flat())
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}

interface Compared {
  /** All values that were sent. */
  readonly values: Values
  /** Those that the applicant entered. */
  readonly typed: Values
  /** Of these, those to write. */
  readonly changed: Values
  /** Of these, those that someone else has changed in the meantime. */
  readonly overtaken: Values
}

export function compareFields(prefix: string, fields: Fields, sent: Sent, stored: Values): Compared {
  const values = readFields(prefix, fields, sent)
  const states = new Map(
    Object.entries(values).map(([name, value]) => {
      const { type } = fields[name] as Field
      const now = plain(stored[name])
      return [name, stateOf(plain(value), beganWith(type, sent[BEGAN + prefix + name], now), now)]
    }),
  )
  const inState = (...some: readonly FieldState[]): Values =>
    Object.fromEntries(
      Object.entries(values).filter(([name]) => some.includes(states.get(name) as FieldState)),
    )
  return {
    values,
    typed: inState('changed', 'overtaken', 'stored'),
    changed: inState('changed'),
    overtaken: inState('overtaken'),
  }
}

/** `stored` is a field that the applicant entered and that has this value already. */
type FieldState = 'untouched' | 'stored' | 'changed' | 'overtaken'

function stateOf(value: string, began: readonly string[], now: string): FieldState {
  if (value === began.at(-1)) return 'untouched'
  if (value === now) return 'stored'
  return began.includes(now) ? 'changed' : 'overtaken'
}

/** Returns several values, the newest last, if a script sent the form again before it had the answer to the first. */
function beganWith(type: FieldType, given: string | readonly string[] | undefined, now: string): string[] {
  if (given === undefined) return [now]
  return [given].flat().map((text) => plain(readField(type, type === 'some_of' ? text.split(',') : [text])))
}

/** Returns a value as `PATCH /kyb/{id}` accepts it: null clears the field. Undefined if nothing was chosen. */
function readField(type: FieldType, given: readonly string[]): unknown {
  if (type === 'some_of') return given.filter(Boolean)
  const [sent = ''] = given.map((text) => text.trim())
  const normalize = NORMALIZE[type] ?? ((text: string) => text.replaceAll('\r\n', '\n'))
  const text = normalize(sent)
  if (isYesOrNo(type)) return text === '' ? undefined : text === 'true'
  return text === '' ? null : text
}

const withDecimalPoint = (number: string): string => number.replace(/^(\d+),(\d+)$/, '$1.$2')

/** From the ways in which people write a value to the one that the API accepts. Ambiguous texts stay as they are. */
const NORMALIZE: Partial<Record<FieldType, (text: string) => string>> = {
  number_text: withDecimalPoint,
  percentage_text: withDecimalPoint,
  phone(text) {
    // The trunk prefix (0) is not dialled after a country code.
    const number = text
      .replace('(0)', '')
      .replace(/[\s()./-]/g, '')
      .replace(/^00/, '+')
    return /^\+\d+$/.test(number) ? number : text
  },
  url: (text) => (/^[^\s:/@]+\.\p{L}{2,}(\/[^\s:]*)?$/u.test(text) ? `https://${text}` : text),
  country_list(text) {
    if (/^[A-Z]{2}( *, *[A-Z]{2})*$/.test(text)) return text
    const codes = text
      .toUpperCase()
      .split(/[\s,;]+/)
      .filter(Boolean)
    // A single code in lower case may be a word, such as "no".
    return codes.length > 1 && codes.every((code) => /^[A-Z]{2}$/.test(code)) ? codes.join(', ') : text
  },
}

/** Whether the value can mean a thousand times as much: some countries write 50.000 for fifty thousand. */
export const isAmbiguous = (type: FieldType | undefined, value: unknown): boolean =>
  type === 'number_text' && /^\d+\.\d{3}$/.test(String(value))
