/**
 * Reads the values that a form sends, and compares them with the stored values.
 * Next to each input, the form has a hidden input with the initial value of the field. The initial, sent and stored
 * values show whether the applicant or someone else has changed the field. `plain` converts the values to text, because
 * a browser can send a list in another order and a line break as two characters.
 */

import { homeOf, readEmail, readPhone, readWebAddress } from '../../contracts/contact.ts'
import { cleanText } from '../../domain/base/clean-text.ts'
import type { Facts } from '../../domain/fields/condition.ts'
import { type Field, type Fields, type FieldType, isAsked, isYesOrNo } from '../../domain/fields/field.ts'
import { NUMBERS } from '../../domain/fields/limits.ts'
import { MAX_TEXT_LENGTH } from '../../domain/fields/values.ts'
import type { Language } from '../texts/index.ts'
import { readDate } from './dates.ts'
import { type Ambiguous, readAmount, readPercentage, showNumber } from './numbers.ts'

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

/** Omits empty fields that the form asks for only with other answers. */
export const askedOrGiven = (fields: Fields, values: Values, facts: Facts): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, field]) => isAsked(field, facts) || !isEmpty(values[name])),
  )

interface Reading {
  readonly language: Language
  /** The country to which a phone number without a country code belongs, as an ISO 3166-1 alpha-2 code. */
  readonly country?: string | undefined
}

/** The fields of a form, and the language of its page. */
interface SentFields {
  /** The prefix of the input names. The field name follows. */
  readonly prefix: string
  readonly fields: Fields
  readonly sent: Sent
  readonly language: Language
}

/**
 * Returns how values are read. The country is that of the company or person, from the form or from the stored values.
 * Fields can be named by path.
 */
const readingOf = ({ prefix, fields, sent, language }: SentFields, stored: Values = {}): Reading => ({
  language,
  country: homeOf((name) => {
    const field = Object.keys(fields).find((each) => each.split('.').at(-1) === name) ?? name
    return sent[prefix + field] || stored[field]
  }),
})

/** Returns the values of the fields that the form contains, except for files. */
export function readFields(form: SentFields, of: Reading = readingOf(form)): Record<string, unknown> {
  const { prefix, fields, sent, language } = form
  const entries = Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
    const isCleared = field.type === 'country_list' && sent[BEGAN + prefix + name] !== undefined
    // Browsers do not send a list without chosen options.
    const given = sent[prefix + name] ?? (isCleared ? '' : undefined)
    if (field.type === 'files' || given === undefined) return []
    const began = String([sent[BEGAN + prefix + name] ?? ''].flat()[0])
    // A number that the page has shown is not read again, because its notation may be ambiguous.
    if (NUMBERS.includes(field.type) && began !== '' && given === showNumber(field.type, began, language))
      return [[name, began]]
    const value = readField(field, [given, sent[prefix + name + NONE] ?? []].flat(), of)
    return value === undefined ? [] : [[name, began.includes('\n') ? value : inLines(field, value)]]
  })
  return Object.fromEntries(entries)
}

/** Removes the line breaks that the Enter key adds to a text of one line, which a textarea shows if it is long. */
const inLines = ({ isLong }: Field, value: unknown): unknown =>
  typeof value === 'string' && !isLong ? value.replace(/\s*\n\s*/g, ' ') : value

interface Compared {
  readonly values: Values
  readonly typed: Values
  /** The entered values that must be saved. */
  readonly changed: Values
  /** The entered values of fields that someone else has changed in the meantime. */
  readonly overtaken: Values
}

export function compareFields(form: SentFields, stored: Values): Compared {
  const { prefix, fields, sent } = form
  const of = readingOf(form, stored)
  const values = readFields(form, of)
  const states = new Map(
    Object.entries(values).map(([name, value]) => {
      const field = fields[name] as Field
      const now = plain(field.type === 'country_list' ? countriesOf(plain(stored[name])) : stored[name])
      const began = beganWith(field, sent[BEGAN + prefix + name], now, of)
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
  field: Field,
  given: string | readonly string[] | undefined,
  now: string,
  of: Reading,
): string[] {
  if (given === undefined) return [now]
  const [stored = '', ...entries] = [given].flat()
  const { type } = field
  const read = (text: string) => plain(readField(field, type === 'some_of' ? text.split(',') : [text], of))
  // A stored number is not converted, because it is in the notation of the API, not in that of the page's language.
  return [NUMBERS.includes(type) ? stored : read(stored), ...entries.map(read)]
}

/** The maximum length of a text that is read. It exceeds that of all fields, so that a longer text is still refused. */
const MAX_READ = 2 * MAX_TEXT_LENGTH

/** Returns a value for `PATCH /kyb/{id}`, null to clear the field, or undefined without a choice. */
function readField(field: Field, given: readonly string[], of: Reading): unknown {
  const { type } = field
  if (type === 'some_of') return given.filter(Boolean)
  if (type === 'country_list') return countriesOf(given.join().slice(0, MAX_READ)) || null
  // A checkbox next to an empty text says that there is none.
  const sent = given.map((text) => cleanText(text.slice(0, MAX_READ)).trim()).find(Boolean) ?? ''
  const normalize = NORMALIZE[type] ?? ((text: string) => text.replaceAll('\r\n', '\n'))
  const text = normalize(sent, field, of)
  if (isYesOrNo(type)) return text === '' ? undefined : text === 'true'
  return text === '' ? null : text
}

/** Functions that convert common notations to the format of the API. They return other texts unchanged. */
type Normalize = (text: string, field: Field, of: Reading) => string | Ambiguous

const NORMALIZE: Partial<Record<FieldType, Normalize>> = {
  number_text: (text, { currency }, { language }) => readAmount(text, language, currency),
  percentage_text: (text) => readPercentage(text),
  phone: (text, _field, { country }) => readPhone(text, country) ?? text,
  url: (text) => readWebAddress(text) ?? text,
  email: readEmail,
  date: (text, _field, { language }) => readDate(text, language),
}

/** Returns the countries of a list in one order, so that lists with the same countries are equal. */
export const countriesOf = (list: string): string =>
  [...new Set(list.split(/[\s,;]+/).filter(Boolean))].sort().join()
