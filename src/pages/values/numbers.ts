/** Reads and formats numbers as people write them. The API uses digits and a decimal point. */
import { asciiDigits } from '../../domain/base/clean-text.ts'
import type { FieldType } from '../../domain/fields/field.ts'
import { type Language, LOCALES } from '../texts/index.ts'

interface Notation {
  readonly group: string
  readonly decimal: string
}

/** Returns the separators of a locale, such as a no-break space and a comma for Polish. */
function notationOf(locale: string): Notation {
  const parts = new Intl.NumberFormat(locale, { useGrouping: 'always' }).formatToParts(1234.5)
  const signOf = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ''
  return { group: signOf('group'), decimal: signOf('decimal') }
}

const NOTATIONS = Object.fromEntries(
  Object.entries(LOCALES).map(([language, locale]) => [language, notationOf(locale)]),
) as Readonly<Record<Language, Notation>>
const ARABIC: Notation = { group: '٬', decimal: '٫' }
/** Matches separators of any language: spaces of any width, and the apostrophes of Swiss numbers. */
const NEUTRAL_GROUPS = /(?<=^\d{1,3}(?:[\s'’]\d{3})*)[\s'’](?=\d{3}(?:\D|$))/gu

const escaped = (sign: string) => sign.replace('.', '\\.')

/** The maximum length of a number as people write it, because the patterns take quadratic time. */
const MAX_LENGTH = 100

/** Returns the number in the format of the API, or null if the text does not have this notation. */
function readIn({ group, decimal }: Notation, text: string): string | null {
  const [g, d] = [escaped(group), escaped(decimal)]
  const isNumber = new RegExp(`^(\\d+|[1-9]\\d{0,2}(${g}\\d{3})+)(${d}\\d+)?$`)
  return isNumber.test(text) ? text.replaceAll(group, '').replace(decimal, '.') : null
}

/** A number that can be read in two ways, such as 45.000 on an English page. */
export class Ambiguous {
  readonly text: string
  /** The readings in the format of the API: as a decimal number, and as a whole number. */
  readonly readings: readonly [decimal: string, whole: string]

  constructor(text: string, readings: Ambiguous['readings']) {
    this.text = text
    this.readings = readings
  }

  toString(): string {
    return this.text
  }
}

/** Returns the signs and names of a currency in all languages of the pages. */
const namesOf = (currency: string): string[] =>
  Object.values(LOCALES).flatMap((locale) =>
    (['symbol', 'narrowSymbol', 'code', 'name'] as const).flatMap((currencyDisplay) =>
      // Languages have different plurals for one, two and five.
      [1, 2, 5].flatMap((count) =>
        new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay })
          .formatToParts(count)
          .filter(({ type }) => type === 'currency')
          .map(({ value }) => value.toLowerCase()),
      ),
    ),
  )

/** Removes the unit before or after a number. Returns the text unchanged if it has none of these units. */
function withoutUnit(text: string, units: readonly string[]): string {
  const lower = text.toLowerCase()
  const unit = units
    .toSorted((a, b) => b.length - a.length)
    .find((each) => lower.startsWith(each) || lower.endsWith(each))
  if (unit === undefined) return text
  return (lower.startsWith(unit) ? text.slice(unit.length) : text.slice(0, -unit.length)).trim()
}

/** The end of a whole amount on German price tags, such as 45.000,- */
const NO_CENTS = /(?<=[.,])(-{1,2}|[–—])$/

/** The period of an amount, as in the words that pages show after one. */
const PER_MONTH =
  /(?:a month|per month|p\. ?m\.|\/ ?month|im monat|pro monat|monatlich|\/ ?monat|miesięcznie|na miesiąc|\/ ?mies\.?)$/i

/** The words for an estimate before a number. */
const ABOUT =
  /^(?:(?:ca|circa|etwa|ungefähr|about|approximately|approx|około)(?![\p{L}$])\.?|ok\.|[~≈])\s*(?=\S)/iu

/**
 * Reads an amount, with or without the sign of its currency. If it is a number in several notations, and grouped in that
 * of the page's language, it is grouped. If it would have three decimal places there, or has three in another notation,
 * returns both readings.
 */
export function readAmount(text: string, language: Language, currency?: string): string | Ambiguous {
  if (text.length > MAX_LENGTH) return text
  const typed = asciiDigits(text).trim().replace(ABOUT, '').replace(PER_MONTH, '').trim()
  const plain = withoutUnit(typed, currency === undefined ? [] : namesOf(currency))
  const number = plain.replace(NO_CENTS, '00').replace(NEUTRAL_GROUPS, '')
  const [here = null, ...elsewhere] = [NOTATIONS[language], ...Object.values(NOTATIONS)].map((each) =>
    readIn(each, number),
  )
  const [other = null, third] = new Set(
    elsewhere.filter((each): each is string => each !== null && each !== here),
  )
  if (here !== null && other !== null && here.includes('.')) return new Ambiguous(text, [here, other])
  if (here === null && other !== null && third)
    return new Ambiguous(text, other.includes('.') ? [other, third] : [third, other])
  if (here === null && other !== null && /^[1-9]\d{3,}[.,]\d{3}$/.test(number))
    return new Ambiguous(text, [other, other.replace('.', '')])
  return here ?? other ?? readIn(ARABIC, number) ?? text
}

const PER_CENT = ['%', '٪', 'percent', 'per cent', 'pct', 'prozent', 'v. h.', 'v.h.', 'procent', 'proc.']
const FRACTION = /^(?:(\d+)\s+)?(\d{1,4})\s*[/⁄∕]\s*(\d{1,4})$/
/** The number of decimal places of a fraction that does not end, such as 1/3. */
const PLACES = 6

/**
 * Reads a percentage, with or without its sign, or a fraction such as 1/3 or 16 2/3. A comma is always the decimal
 * separator, because percentages have no thousands separators.
 */
export function readPercentage(text: string): string {
  if (text.length > MAX_LENGTH) return text
  const digits = asciiDigits(text)
    .replace(/[¼-¾⅐-⅞]/g, (sign) => ` ${sign.normalize('NFKC')}`)
    .trim()
  const plain = withoutUnit(digits, PER_CENT)
  const [, whole, top, bottom = 0] = FRACTION.exec(plain) ?? []
  if (top === undefined || Number(bottom) === 0) return plain.replace(/^(\d+)[,٫](\d+)$/, '$1.$2')
  const isShare = whole === undefined && plain === digits
  const share = Number(top) / Number(bottom)
  return String(Number((isShare ? share * 100 : Number(whole ?? 0) + share).toFixed(PLACES)))
}

/** Returns a fraction in percent, without the inaccuracy of binary numbers. */
export const percentOf = (fraction: number): number => Number((fraction * 100).toFixed(10))
export const fractionOf = (percent: number): number => Number((percent / 100).toFixed(12))

const isNumber = (value: string): value is `${number}` =>
  value.length <= MAX_LENGTH && /^\d+(\.\d+)?$/.test(value)

/** Converts a number from the API to the notation of the language, for an input. Returns other texts unchanged. */
export function showNumber(type: FieldType | undefined, value: string, language: Language): string {
  if (!(type === 'number_text' || type === 'percentage_text') || !isNumber(value)) return value
  const { group, decimal } = NOTATIONS[language]
  const [whole = '', part] = value.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group)
  return part === undefined ? grouped : grouped + decimal + part
}

/** Returns a share in per cent with its sign, such as "33.3%". */
export const showPercent = (percent: number | `${number}`, language: Language): string =>
  new Intl.NumberFormat(LOCALES[language], {
    style: 'unit',
    unit: 'percent',
    maximumFractionDigits: 20,
  }).format(percent)

const showAmount = (amount: `${number}`, currency: string, language: Language): string =>
  new Intl.NumberFormat(LOCALES[language], {
    style: 'currency',
    currency,
    maximumFractionDigits: 20,
    trailingZeroDisplay: 'stripIfInteger',
  }).format(amount)

/** Converts a number from the API to text with its unit. Returns other texts unchanged. */
export function showQuantity(
  type: FieldType | undefined,
  value: string,
  language: Language,
  currency?: string,
): string {
  if (!isNumber(value)) return value
  if (type === 'percentage_text') return showPercent(value, language)
  return currency === undefined ? showNumber(type, value, language) : showAmount(value, currency, language)
}

export const sizeText = (language: Language, bytes: number): string => {
  const [value, unit] =
    bytes < 1_000_000 ? [Math.ceil(bytes / 1_000), 'kilobyte'] : [bytes / 1_000_000, 'megabyte']
  return new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value)
}
