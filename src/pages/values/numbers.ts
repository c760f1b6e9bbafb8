/** Reads and formats numbers as people write them. The API uses digits and a decimal point. */
import type { FieldType } from '../../domain/fields/field.ts'
import { type Language, LOCALES } from '../texts/index.ts'

interface Notation {
  readonly group: string
  readonly decimal: string
}

const NOTATIONS: Readonly<Record<Language, Notation>> = {
  en: { group: ',', decimal: '.' },
  de: { group: '.', decimal: ',' },
}
/** Matches separators of any language: spaces of any width, and the apostrophes of Swiss numbers. */
const NEUTRAL_GROUPS = /(?<=^\d{1,3}(?:[\s'’]\d{3})*)[\s'’](?=\d{3}(?:\D|$))/gu

const escaped = (sign: string) => sign.replace('.', '\\.')

/** Returns the number in the format of the API, or null if the text does not have this notation. */
function readIn({ group, decimal }: Notation, text: string): string | null {
  const [g, d] = [escaped(group), escaped(decimal)]
  const isNumber = new RegExp(`^(\\d+|\\d{1,3}(${g}\\d{3})+)(${d}\\d+)?$`)
  return isNumber.test(text) ? text.replaceAll(group, '').replace(decimal, '.') : null
}

/** Reads an amount. If the text is a number in both notations, such as 1.250, the notation of the language applies. */
export function readAmount(text: string, language: Language): string {
  const number = text.replace(NEUTRAL_GROUPS, '')
  const notations = [NOTATIONS[language], NOTATIONS.en, NOTATIONS.de]
  return notations.map((notation) => readIn(notation, number)).find((read) => read !== null) ?? text
}

/** Reads a percentage. A comma is always the decimal separator, because percentages have no thousands separators. */
export const readPercentage = (text: string): string => text.replace(/^(\d+),(\d+)$/, '$1.$2')

const isNumber = (value: string): value is `${number}` => /^\d+(\.\d+)?$/.test(value)

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

/** Returns a size in kilobytes or megabytes. */
export const sizeText = (language: Language, bytes: number): string => {
  const [value, unit] =
    bytes < 1_000_000 ? [Math.ceil(bytes / 1_000), 'kilobyte'] : [bytes / 1_000_000, 'megabyte']
  return new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value)
}
