/** Texts in the language of whoever reads: one name, one text for each language, with plurals and numbers. */
import { IntlMessageFormat } from 'intl-messageformat'
import { LANGUAGE_NAMES, type Language } from '../../domain/access/branding.ts'
import { de } from './de.ts'
import { en, type TextName } from './en.ts'

export { LANGUAGE_NAMES, type Language, type TextName }

export const LANGUAGES: Readonly<Record<Language, Readonly<Record<TextName, string>>>> = { en, de }

/** How dates are written. */
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' }

/** Where lines begin. */
export const DIRECTIONS: Readonly<Record<Language, 'ltr' | 'rtl'>> = { en: 'ltr', de: 'ltr' }

type Values = Readonly<Record<string, string | number>>
export type Translate = (name: TextName, values?: Values) => string

/** Each text is parsed once. */
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
