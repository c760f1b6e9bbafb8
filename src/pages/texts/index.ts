/** Texts in the language of whoever reads: one name, one text for each language, with plurals and numbers. */
import { IntlMessageFormat } from 'intl-messageformat'
import { de } from './de.ts'
import { en, type TextName } from './en.ts'

export const LANGUAGES = { en, de } as const
export type Language = keyof typeof LANGUAGES
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[]

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
