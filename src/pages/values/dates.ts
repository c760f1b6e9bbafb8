/** Formats days as people write them. */
import { LANGUAGE_NAMES, type Language, LOCALES } from '../texts/index.ts'

const formatIn = (language: Language) =>
  new Intl.DateTimeFormat(LOCALES[language], { dateStyle: 'long', timeZone: 'UTC' })

/** Caches the formats, because creating one takes as long as using it 40 times. */
const FORMATS = Object.fromEntries(
  LANGUAGE_NAMES.map((language) => [language, formatIn(language)]),
) as Readonly<Record<Language, Intl.DateTimeFormat>>

/** Returns a day in UTC in ISO 8601, as inputs and addresses state it. */
export const isoDay = (day: Date): string => day.toISOString().slice(0, 10)

/** Returns a day in UTC with the name of its month. */
export const dayText = ({ language }: { readonly language: Language }, day: Date): string =>
  FORMATS[language].format(day)
