/** What a form sends: read as the API takes it, and held against what it began with. */
import { type FieldKind, isFiles, isYesOrNo } from '../domain/kyb/fields.ts'

export type Fields = Readonly<Record<string, FieldKind>>
/** As it is sent by a form. */
export type Sent = Readonly<Record<string, string | readonly string[] | undefined>>

/** A comma as of decimals. */
const withPoint = (number: string): string => number.replace(/^(\d+),(\d+)$/, '$1.$2')

/** As the API takes what people write: what it takes already, and what nobody can tell the meaning of, stays. */
const AS_MEANT: Partial<Record<string, (text: string) => string>> = {
  number_text: withPoint,
  percentage_text: withPoint,
  phone(text) {
    // A nought in brackets is left out where the country is named.
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
    // One alone may be a word: no.
    return codes.length > 1 && codes.every((code) => /^[A-Z]{2}$/.test(code)) ? codes.join(', ') : text
  },
}

/** Whether it may mean a thousand times what it says: 50.000, in some countries. */
export const isAmbiguous = (kind: FieldKind | undefined, value: unknown): boolean =>
  kind === 'number_text' && /^\d+\.\d{3}$/.test(String(value))

/** Before the name of an input: the name of the one that holds what the form began with. */
export const BEGAN = 'was:'

/** A value as text, whatever form a control brings it back in. */
export const plain = (value: unknown): string => {
  if (Array.isArray(value)) return [...value].sort().join()
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n').trim() : String(value ?? '')
}

export const isGroup = (kind: FieldKind): boolean => typeof kind === 'object' && kind.kind === 'some_of'

/** As `PATCH /kyb/{id}` takes it: what is empty is cleared. Undefined where nothing was chosen. */
function readField(kind: FieldKind, given: readonly string[]): unknown {
  if (isGroup(kind)) return given.filter(Boolean)
  const [sent = ''] = given.map((text) => text.trim())
  const asMeant = AS_MEANT[String(kind)] ?? ((text: string) => text.replaceAll('\r\n', '\n'))
  const text = asMeant(sent)
  if (isYesOrNo(kind)) return text === '' ? undefined : text === 'true'
  return text === '' ? null : text
}

type Values = Readonly<Record<string, unknown>>

/** What the form says of the fields that it has; files stay away. */
export function readFields(prefix: string, fields: Fields, sent: Sent): Record<string, unknown> {
  const entries = Object.entries(fields).flatMap(([field, kind]): [string, unknown][] => {
    const given = sent[prefix + field]
    if (isFiles(kind) || given === undefined) return []
    const value = readField(kind, [given].flat())
    return value === undefined ? [] : [[field, value]]
  })
  return Object.fromEntries(entries)
}

/** A form that was sent, held against what it began with and what is stored now. */
interface Compared {
  readonly values: Values
  /** What was entered in it. */
  readonly typed: Values
  /** Of that, what is to be written. */
  readonly changed: Values
  /** Of that, what somebody else has changed meanwhile. */
  readonly overtaken: Values
}

export function compareFields(prefix: string, fields: Fields, sent: Sent, stored: Values): Compared {
  const values = readFields(prefix, fields, sent)
  const typed: Record<string, unknown> = {}
  const changed: Record<string, unknown> = {}
  const overtaken: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(values)) {
    const now = plain(stored[field])
    const began = beganWith(fields[field] as FieldKind, sent[BEGAN + prefix + field], now)
    if (plain(value) === began.at(-1)) continue
    typed[field] = value
    if (plain(value) === now) continue
    if (began.includes(now)) changed[field] = value
    else overtaken[field] = value
  }
  return { values, typed, changed, overtaken }
}

/** Several values, the newest last, when a form is sent again before it was heard what became of it. */
function beganWith(kind: FieldKind, given: string | readonly string[] | undefined, now: string) {
  if (given === undefined) return [now]
  return [given].flat().map((text) => plain(readField(kind, isGroup(kind) ? text.split(',') : [text])))
}

export const isEmpty = (value: unknown): boolean => plain(value) === ''
