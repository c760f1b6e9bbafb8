/**
 * Reads the values that a form sends, and compares them with the stored values.
 * Next to each input, the form has a hidden input with the initial value of the field. The initial, sent and stored
 * values show whether the applicant or someone else has changed the field. `plain` converts the values to text, because
 * a browser can send a list in another order and a line break as two characters.
 */

import { cleanText } from '../../domain/base/clean-text.ts'
import { type Field, type Fields, type FieldType, isYesOrNo } from '../../domain/fields/field.ts'
import type { Language } from '../texts/index.ts'
import { readAmount, readPercentage } from './numbers.ts'

/** The body of a form. */
export type Sent = Readonly<Record<string, string | readonly string[] | undefined>>
type Values = Readonly<Record<string, unknown>>

/** The prefix of the name of the hidden input with a field's initial value. */
export const BEGAN = 'was:'
/** Ends the name of a checkbox that states that a field has no value. */
export const NONE = '.none'

/** Returns a value as text. Line breaks and the order of list entries do not change the text. */
export const plain = (value: unknown): string => {
  if (Array.isArray(value)) return [...value].sort().join()
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : String(value ?? '')
}

export const isEmpty = (value: unknown): boolean => plain(value) === ''

/** The fields of a form, and the language of its page. */
interface SentFields {
  /** The prefix of the input names. The field name follows. */
  readonly prefix: string
  readonly fields: Fields
  readonly sent: Sent
  readonly language: Language
}

/** Returns the values of the fields that the form contains, except for files. */
export function readFields({ prefix, fields, sent, language }: SentFields): Record<string, unknown> {
  const entries = Object.entries(fields).flatMap(([name, { type }]): [string, unknown][] => {
    const given = sent[prefix + name]
    if (type === 'files' || given === undefined) return []
    const value = readField(type, [given, sent[prefix + name + NONE] ?? []].flat(), language)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}

interface Compared {
  /** All values that the form has sent. */
  readonly values: Values
  /** The values that the applicant has entered. */
  readonly typed: Values
  /** The entered values that must be saved. */
  readonly changed: Values
  /** The entered values of fields that someone else has changed in the meantime. */
  readonly overtaken: Values
}

export function compareFields(form: SentFields, stored: Values): Compared {
  const { prefix, fields, sent, language } = form
  const values = readFields(form)
  const states = new Map(
    Object.entries(values).map(([name, value]) => {
      const { type } = fields[name] as Field
      const now = plain(stored[name])
      const began = beganWith(type, sent[BEGAN + prefix + name], now, language)
      return [name, stateOf(plain(value), began, now)]
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

/** The state of a field. `stored` means that the applicant has entered the value that is already stored. */
type FieldState = 'untouched' | 'stored' | 'changed' | 'overtaken'

function stateOf(value: string, began: readonly string[], now: string): FieldState {
  if (value === began.at(-1)) return 'untouched'
  if (value === now) return 'stored'
  return began.includes(now) ? 'changed' : 'overtaken'
}

/**
 * Returns the value that was stored when the page was loaded. If a script has sent the form again before the first
 * response, also returns the values that it has sent, newest last.
 */
function beganWith(
  type: FieldType,
  given: string | readonly string[] | undefined,
  now: string,
  language: Language,
): string[] {
  if (given === undefined) return [now]
  const [stored = '', ...entries] = [given].flat()
  const read = (text: string) =>
    plain(readField(type, type === 'some_of' ? text.split(',') : [text], language))
  // A stored number is not converted, because it is in the notation of the API, not in that of the page's language.
  return [NUMBERS.includes(type) ? stored : read(stored), ...entries.map(read)]
}

const NUMBERS: readonly FieldType[] = ['number_text', 'percentage_text']

/**
 * Returns a value in the format of `PATCH /kyb/{id}`. Returns null to clear the field, or undefined if nothing was
 * chosen.
 */
function readField(type: FieldType, given: readonly string[], language: Language): unknown {
  if (type === 'some_of') return given.filter(Boolean)
  // A checkbox next to an empty text says that there is none.
  const sent = given.map((text) => cleanText(text).trim()).find(Boolean) ?? ''
  const normalize = NORMALIZE[type] ?? ((text: string) => text.replaceAll('\r\n', '\n'))
  const text = normalize(sent, language)
  if (isYesOrNo(type)) return text === '' ? undefined : text === 'true'
  return text === '' ? null : text
}

/** Functions that convert common notations to the format of the API. They return other texts unchanged. */
const NORMALIZE: Partial<Record<FieldType, (text: string, language: Language) => string>> = {
  number_text: readAmount,
  percentage_text: readPercentage,
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
