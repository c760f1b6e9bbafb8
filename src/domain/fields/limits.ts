/** Rules for the limits that a profile sets for values. */
import { dateAfter, dateBefore, type Facts, isLess } from './condition.ts'
import type { FieldType, Limits } from './field.ts'
import type { Format } from './formats.ts'
import { isGiven } from './given.ts'

const TEXTS: readonly FieldType[] = ['text', 'short_text']
export const NUMBERS: readonly FieldType[] = ['number_text', 'percentage_text']

export const LIMIT_FITS: { readonly [L in keyof Required<Limits>]: readonly FieldType[] } = {
  min_length: TEXTS,
  max_length: TEXTS,
  minimum: NUMBERS,
  maximum: NUMBERS,
  decimals: NUMBERS,
  earliest: ['date'],
  latest: ['date'],
  format: TEXTS,
  country: TEXTS,
  max_age: ['files'],
  expires: ['files'],
}
export const LIMIT_NAMES = Object.keys(LIMIT_FITS) as (keyof Limits)[]

/** The company's field with the country of its numbers, if the row names none. */
const COUNTRY_OF: Partial<Record<Format, string>> = {
  vat: 'nature_of_business.tax_residency_country',
  tax_number: 'nature_of_business.tax_residency_country',
  registration_number: 'nature_of_business.country_of_incorporation',
}

const DATE = /^[1-9]\d{3}-\d{2}-\d{2}$/

/** Returns whether the text is a date of the calendar from the year 1000. */
function isDate(text: string): boolean {
  const time = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Returns the date that a limit names, or null if it is not one. */
export function limitDate(text: string, today: string): string | null {
  if (isDate(text)) return text
  if (text === 'today') return today
  return text.startsWith('+') ? dateAfter(today, text.slice(1)) : dateBefore(today, text)
}

/** Returns the largest number with these decimal places that is not above the number, and the smallest one that is. */
export function stepsAt(number: string | number, places?: number): [from: string, to: string] {
  const [whole = '', part = ''] = String(number).split('.')
  const digits = places ?? part.length
  const scaled = BigInt(whole + part.slice(0, digits).padEnd(digits, '0'))
  const written = (value: bigint) => {
    const text = String(value).padStart(digits + 1, '0')
    return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
  }
  return [written(scaled), written(scaled + 1n)]
}

type Kept<L extends keyof Limits> = (value: string, by: NonNullable<Limits[L]>, facts: Facts) => boolean
const lengthOf = (text: string) => [...text].length

/** Whether a value keeps each limit. */
const KEPT: { readonly [L in keyof Limits]: Kept<L> } = {
  min_length: (value, by) => lengthOf(value) >= by,
  max_length: (value, by) => lengthOf(value) <= by,
  minimum: (value, by) => isLess(value, by) !== true,
  maximum: (value, by) => isLess(by, value) !== true,
  decimals: (value, by) => (value.split('.')[1] ?? '').replace(/0+$/, '').length <= by,
  // `today` is the latest date in any time zone. Further west, the day before is still today.
  earliest: (value, by, { today = '' }) =>
    value >= (limitDate(by, dateBefore(today, 'P1D') ?? today) ?? value),
  latest: (value, by, { today = '' }) => value <= (limitDate(by, today) ?? value),
}

/** The reasons why a value is not within the limits of its field. */
type LimitReason = 'outside_limits' | 'wrong_format'

/** Returns the reason why the value is not within its limits, or null. An empty value is. */
export function findLimitReason(limits: Limits, value: unknown, facts: Facts): LimitReason | null {
  if (!isGiven(value) || typeof value !== 'string') return null
  const isKept = Object.entries(KEPT).every(([name, keeps]) => {
    const by = limits[name as keyof Limits]
    return by === undefined || (keeps as Kept<never>)(value, by as never, facts)
  })
  if (!isKept) return 'outside_limits'
  const { format, country = format && COUNTRY_OF[format] } = limits
  if (format === undefined || !facts.hasFormat) return null
  const where = country === undefined ? undefined : facts.valueAt(country)
  return facts.hasFormat(format, value, isGiven(where) ? String(where) : undefined) ? null : 'wrong_format'
}
