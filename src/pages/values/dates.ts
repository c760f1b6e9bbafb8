/** Formats days as people write them. */
import { asciiDigits } from '../../domain/base/clean-text.ts'
import { LANGUAGE_NAMES, type Language, LOCALES } from '../texts/index.ts'

/**
 * Returns a function that formats a time in UTC. Lines do not break within a day. The
 * formats are cached, because creating one takes as long as using it 40 times.
 */
export function formatOf(options: Intl.DateTimeFormatOptions) {
  const formats = Object.fromEntries(
    LANGUAGE_NAMES.map((language) => [
      language,
      new Intl.DateTimeFormat(LOCALES[language], { ...options, timeZone: 'UTC' }),
    ]),
  ) as Readonly<Record<Language, Intl.DateTimeFormat>>
  return ({ language }: { readonly language: Language }, moment: Date | number): string =>
    formats[language].format(moment).replaceAll(/(?<=\d\.?) | (?=\d{4})/g, '\u00a0')
}

/** Returns a day in UTC in ISO 8601, as inputs and addresses state it. */
export const isoDay = (day: Date): string => day.toISOString().slice(0, 10)

/** Returns a day in UTC with the name of its month. */
export const dayText = formatOf({ dateStyle: 'long' })

/** Returns a day in UTC in little space. */
export const shortDayText = formatOf({ dateStyle: 'medium' })

/** The first letters that distinguish the months in all languages of the pages. */
const MIN_MONTH = 3

/**
 * Reads a date as people type it in browsers without a date picker: with the year first, with points, or with the name
 * of the month, which can be abbreviated. Returns other texts unchanged. Slashes before the year have different meanings
 * in different countries.
 */
export function readDate(text: string, language: Language): string {
  const typed = asciiDigits(text)
  const [, year, month = '', day = ''] = /^(\d{4})[-./](\d\d?)[-./](\d\d?)$/.exec(typed) ?? []
  if (year !== undefined) return isoOf(year, month, day)
  const [, first = '', middle = '', last] = /^(\d\d?)[.\s]+([^\s./]+)[.\s]+(\d{4})$/.exec(typed) ?? []
  if (last === undefined) return text
  if (/^\d\d?$/.test(middle)) return isoOf(last, middle, first)
  const isNamed = (_: unknown, index: number) =>
    middle.length >= MIN_MONTH && monthIn(language, index).toLowerCase().startsWith(middle.toLowerCase())
  const named = Array.from({ length: 12 }).findIndex(isNamed)
  return named < 0 ? text : isoOf(last, String(named + 1), first)
}

const isoOf = (year: string, month: string, day: string): string =>
  [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-')

/** Returns the name of a month as dates contain it. */
const monthIn = (language: Language, index: number): string =>
  /\p{L}+/u.exec(dayText({ language }, Date.UTC(2000, index)))?.[0] ?? ''
