/** Formats days as people write them. */
import { asciiDigits } from '../../domain/base/clean-text.ts'
import { LANGUAGE_NAMES, type Language, LOCALES } from '../texts/index.ts'

/** Returns the format for each language, in UTC. Cached, because creating one takes as long as using it 40 times. */
export const formatsOf = (options: Intl.DateTimeFormatOptions) =>
  Object.fromEntries(
    LANGUAGE_NAMES.map((language) => [
      language,
      new Intl.DateTimeFormat(LOCALES[language], { ...options, timeZone: 'UTC' }),
    ]),
  ) as Readonly<Record<Language, Intl.DateTimeFormat>>

const FORMATS = formatsOf({ dateStyle: 'long' })
const SHORT_FORMATS = formatsOf({ dateStyle: 'medium' })

/** Returns a day in UTC in ISO 8601, as inputs and addresses state it. */
export const isoDay = (day: Date): string => day.toISOString().slice(0, 10)

/** Returns a day in UTC with the name of its month. */
export const dayText = ({ language }: { readonly language: Language }, day: Date): string =>
  FORMATS[language].format(day)

/** Returns a day in UTC in little space. */
export const shortDayText = ({ language }: { readonly language: Language }, day: Date): string =>
  SHORT_FORMATS[language].format(day)

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
  const [, first = '', middle = '', last] = /^(\d\d?)[. ]+([^\s./]+)[. ]+(\d{4})$/.exec(typed) ?? []
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
  FORMATS[language].formatToParts(Date.UTC(2000, index)).find(({ type }) => type === 'month')?.value ?? ''
