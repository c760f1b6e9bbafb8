/** Returns texts in the reader's language. Each key has one text per language, which can have plurals and numbers. */
import { readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import {
  COMPLETE_LANGUAGES,
  type CompleteLanguage,
  LANGUAGE_NAMES,
  type Language,
  LOCALES,
} from '../../domain/base/language.ts'
import type { Fields } from '../../domain/fields/field.ts'
import type { ApplicantForm } from '../../domain/identification/person-form.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import type { Form } from '../../domain/kyb/form.ts'
import type { SpecifiedTexts } from '../../http/deps.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import type { FieldTextName } from './field-texts.ts'

export { LANGUAGE_NAMES, type Language, LOCALES }
export type TextName = keyof typeof en

type Texts = Readonly<Record<TextName | FieldTextName, string>>

/** A missing text is a type error. */
const COMPLETE: Readonly<Record<CompleteLanguage, Texts>> = { en, de }

/** Reads the texts for applicants. Texts for operators remain in English. */
const read = (language: Language): Texts => ({
  ...en,
  ...JSON.parse(readFileSync(new URL(`./${language}.json`, import.meta.url), 'utf8')),
})

const isComplete = (language: Language): language is CompleteLanguage => Object.hasOwn(COMPLETE, language)

export const LANGUAGES = Object.fromEntries(
  LANGUAGE_NAMES.map((name) => [name, isComplete(name) ? COMPLETE[name] : read(name)]),
) as Readonly<Record<Language, Texts>>

const WRITTEN_FROM_THE_RIGHT = ['ar', 'fa', 'he', 'ur']

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

/** Returns a text in each language that has it. */
const inEachLanguage = (name: string): Readonly<Record<string, string>> =>
  isTextName(name) ? Object.fromEntries(LANGUAGE_NAMES.map((each) => [each, LANGUAGES[each][name]])) : {}

/** Returns the label of a specified field and those of its choices. */
export const specifiedTexts: SpecifiedTexts = ({ path, values = [] }) => ({
  label: inEachLanguage(`field.${path.split('.').at(-1)}`),
  value_labels: Object.fromEntries(values.map((value) => [value, inEachLanguage(`option.${value}`)])),
})

/** The beginning of the names of texts for beneficiaries, which can have fields with the names of the company's. */
const OF_PERSON = 'person.'

type NamedText = [name: string, text: string | undefined]

/** Returns the texts of the fields that a profile adds or labels. */
function textsOf(language: Language, fields: Fields, scope: string): NamedText[] {
  const inLanguage = (texts: Readonly<Record<string, string>> = {}) =>
    texts[language] ?? Object.values(texts)[0]
  return Object.entries(fields).flatMap(([path, { texts }]): NamedText[] => {
    if (!texts) return []
    const name = path.split('.').at(-1) ?? path
    const options = Object.entries(texts.values).flatMap(([value, each]): NamedText[] => [
      [`option.${name}.${value}`, inLanguage(each)],
      [`option.${value}`, isTextName(`option.${value}`) ? undefined : inLanguage(each)],
    ])
    return [
      [`${scope}field.${name}`, inLanguage(texts.label)],
      [`${scope}help.${name}`, inLanguage(texts.help)],
      ...options,
    ]
  })
}

/** Returns the labels of dates of documents, such as "Proof of address: date of issue", and of retired documents. */
function derivedTexts(
  { t }: { readonly t: Translate },
  own: Own,
  fields: Fields,
  scope: string,
): NamedText[] {
  return Object.entries(fields).flatMap(([path, { dates, isRetired }]) => {
    if (!dates && !isRetired) return []
    const list = `field.${(dates?.list ?? path).split('.').at(-1)}`
    const label = own[scope + list] ?? (isTextName(list) ? t(list) : list)
    return [
      [
        `${scope}field.${path.split('.').at(-1)}`,
        dates ? t(`limits.${dates.kind}`, { label }) : t('limits.retired', { label }),
      ],
    ]
  })
}

type Own = Readonly<Record<string, string>>

const given = (texts: readonly NamedText[]): Own =>
  Object.fromEntries(texts.filter((each): each is [string, string] => Boolean(each[1]?.trim())))

interface Reading {
  readonly language: Language
  readonly t: Translate
}

/** Returns the frame with the texts of the fields that the profile of an application adds or labels. */
export const withFormTexts = <F extends Reading>(
  frame: F,
  { company = {}, person }: Pick<Form, 'person'> & { readonly company?: Readonly<Record<string, Fields>> },
): F =>
  withOwnTexts(frame, [
    ...Object.values(company).map((fields) => [fields, ''] as const),
    [person, OF_PERSON] as const,
  ])

/**
 * Returns the frame with the texts of the fields that the profile of a person adds or labels, or that a passport has.
 * `general` contains texts that apply if the profile has none.
 */
export const withApplicantTexts = <F extends Reading>(
  frame: F,
  { details, document, photos }: ApplicantForm,
  { document_type: type }: Profile = {},
  general: Own = {},
): F =>
  withOwnTexts(frame, [[{ ...details, ...document, ...photos }, '']], {
    ...general,
    ...(type === 'passport' && { 'field.document_front': frame.t('person.passport') }),
  })

function withOwnTexts<F extends Reading>(
  frame: F,
  scopes: readonly (readonly [fields: Fields, scope: string])[],
  general: Own = {},
): F {
  const texts = given(scopes.flatMap(([fields, scope]) => textsOf(frame.language, fields, scope)))
  const derived = given(scopes.flatMap(([fields, scope]) => derivedTexts(frame, texts, fields, scope)))
  const own = { ...general, ...texts, ...derived }
  if (Object.keys(own).length === 0) return frame
  const { t } = frame
  const translated: Translate = (name, values) => t(name, values)
  return { ...frame, t: Object.assign(translated, { own: { ...t.own, ...own } }) }
}

/** Returns the profile's text about a field, or undefined. Without a place, the company's comes first. */
export function ownText({ own }: Translate, kind: 'field' | 'help', field: string): string | undefined {
  if (!own) return undefined
  const name = `${kind}.${field.split('.').at(-1)}`
  const [ofCompany, ofPerson] = [own[name], own[OF_PERSON + name]]
  return field.startsWith('beneficiaries.beneficiaries_list.') ? ofPerson : (ofCompany ?? ofPerson)
}

/** Joins labels in a sentence. Only the first one keeps its capital letter, as do abbreviations and German nouns. */
export const joinLabels = (language: Language, labels: readonly string[]): string =>
  new Intl.ListFormat(LOCALES[language]).format(
    labels.map((label, place) =>
      place === 0 || language === 'de'
        ? label
        : label.replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLocaleLowerCase(language)),
    ),
  )
