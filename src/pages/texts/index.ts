/** Returns texts in the reader's language. Each key has one text per language, which can have plurals and numbers. */
import { readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import { COMPLETE_LANGUAGES, LANGUAGE_NAMES, type Language, LOCALES } from '../../domain/base/language.ts'
import type { Form } from '../../domain/kyb/form.ts'
import { de } from './de.ts'
import { en, type TextName } from './en.ts'

export { LANGUAGE_NAMES, type Language, LOCALES, type TextName }

type Texts = Readonly<Record<TextName, string>>

/** Reads the texts for applicants. Texts for operators remain in English. */
const read = (language: Language): Texts => ({
  ...en,
  ...JSON.parse(readFileSync(new URL(`./${language}.json`, import.meta.url), 'utf8')),
})

export const LANGUAGES = Object.fromEntries(
  LANGUAGE_NAMES.map((name) => [name, name === 'en' ? en : name === 'de' ? de : read(name)]),
) as Readonly<Record<Language, Texts>>

const WRITTEN_FROM_THE_RIGHT = ['ar', 'fa', 'he', 'ur']

/** Returns the writing direction of a language. */
export const directionOf = (language: string): 'ltr' | 'rtl' =>
  WRITTEN_FROM_THE_RIGHT.includes(language) ? 'rtl' : 'ltr'

/** Returns the languages of a page without a vault. */
export const languagesAt = (path: string): readonly Language[] =>
  path.startsWith('/console') ? COMPLETE_LANGUAGES : LANGUAGE_NAMES

/** Returns the text of an error code in the file of a language, or null. */
export const errorInFile = (language: Language, code: string): string | null =>
  (LANGUAGES[language] as Readonly<Record<string, string>>)[`error.${code}`] ?? null

type Values = Readonly<Record<string, string | number>>
export interface Translate {
  (name: TextName, values?: Values): string
  /** The texts of fields that a profile adds, keyed by the names that texts of specified fields have. */
  readonly own?: Readonly<Record<string, string>>
}

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

/** Returns the frame with the texts of the fields that the profile of an application adds. */
export function withFormTexts<F extends { readonly language: Language; readonly t: Translate }>(
  frame: F,
  { company, person }: Pick<Form, 'company' | 'person'>,
): F {
  const { language, t } = frame
  const inLanguage = (texts: Readonly<Record<string, string>>) => texts[language] ?? Object.values(texts)[0]
  const own = [company.additional, person].flatMap((fields) =>
    Object.entries(fields).flatMap(([path, { texts }]) => {
      if (!texts) return []
      const name = path.split('.').at(-1) ?? path
      const options = Object.entries(texts.values).map(([value, each]) => [
        `option.${value}`,
        inLanguage(each),
      ])
      return [
        [`field.${name}`, inLanguage(texts.label)],
        [`help.${name}`, inLanguage(texts.help)],
        ...options,
      ]
    }),
  )
  const given = own.filter((each): each is [string, string] => each[1] !== undefined)
  if (given.length === 0) return frame
  const translated: Translate = (name, values) => t(name, values)
  return { ...frame, t: Object.assign(translated, { own: Object.fromEntries(given) }) }
}
