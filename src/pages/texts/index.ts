/** Returns texts in the reader's language. Each key has one text per language, which can have plurals and numbers. */
import { IntlMessageFormat } from 'intl-messageformat'
import { LANGUAGE_NAMES, type Language } from '../../domain/base/language.ts'
import { de } from './de.ts'
import { en, type TextName } from './en.ts'

export { LANGUAGE_NAMES, type Language, type TextName }

export const LANGUAGES: Readonly<Record<Language, Readonly<Record<TextName, string>>>> = { en, de }

/** The locale that formats the dates of each language. */
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' }

/** The writing direction of each language. */
export const DIRECTIONS: Readonly<Record<Language, 'ltr' | 'rtl'>> = { en: 'ltr', de: 'ltr' }

type Values = Readonly<Record<string, string | number>>
export type Translate = (name: TextName, values?: Values) => string

/** The parsed texts. Each text is parsed only once. */
const parsed = new Map<string, IntlMessageFormat>()

export const translate =
  (language: Language): Translate =>
  (name, values) => {
    const key = `${language} ${name}`
    const known = parsed.get(key) ?? new IntlMessageFormat(LANGUAGES[language][name], language)
    parsed.set(key, known)
    return String(known.format(values))
  }

export const isTextName = (name: string): name is TextName => Object.hasOwn(en, name)
