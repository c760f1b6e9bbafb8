/** Rules for the words that explain a profile's conditions and rows to administrators. */
import type { CompleteLanguage } from '../base/language.ts'
import { type Condition, testOf } from '../fields/condition.ts'
import type { ProfileRow } from './document.ts'
import { isSame } from './draft.ts'
import type { Unit, Words } from './vocabulary.ts'
import { de } from './words-de.ts'
import { en } from './words-en.ts'

/** Returns the names that administrators know, in their language. */
export interface Names {
  readonly language: CompleteLanguage
  readonly field: (path: string) => string
  /** Returns the text of a value of the field at a path, or null if the value is its own text. */
  readonly value: (path: string, value: string) => string | null
}

export const WORDS: Readonly<Record<CompleteLanguage, Words>> = { en, de }

const PERIOD = /^P(\d+)([YMD])$/

/** Returns the words for a period such as `P18Y`, or the period itself if it is none. */
export function periodInWords(language: CompleteLanguage, period: string): string {
  const [, count, unit] = PERIOD.exec(period) ?? []
  return count === undefined ? period : WORDS[language].period[unit as Unit](Number(count))
}

function valueInWords({ language, value }: Names, path: string, by: unknown): string {
  const { yesOrNo, groups } = WORDS[language]
  if (typeof by === 'boolean') return yesOrNo(by)
  const text = String(by)
  return value(path, text) ?? (Object.hasOwn(groups, text) ? (groups[text] ?? text) : text)
}

/** Returns the words for a condition, such as “Country” is “Germany” or “Austria”. */
export function conditionInWords(names: Names, condition: Condition): string {
  const words = WORDS[names.language]
  const joined = (parts: readonly Condition[], by: string) =>
    parts
      .map((part) => {
        const text = conditionInWords(names, part)
        return parts.length > 1 && ('all' in part || 'any' in part) ? `(${text})` : text
      })
      .join(by)
  if ('all' in condition) return joined(condition.all, words.and) || words.always
  if ('any' in condition) return joined(condition.any, words.or) || words.never
  if ('not' in condition) return words.not(conditionInWords(names, condition.not))
  const [name, by] = testOf(condition) ?? ['given', true]
  const field = words.quoted(names.field(condition.field))
  if (name === 'given') return words.given(field, by === true)
  if (name === 'older_than') return words.tests[name](field, periodInWords(names.language, String(by)))
  const isPlain = (value: unknown) =>
    name === 'at_least' || name === 'below' || Object.hasOwn(words.groups, String(value))
  const values = [by].flat().map((value) => {
    const text = valueInWords(names, condition.field, value)
    return isPlain(value) ? text : words.quoted(text)
  })
  return words.tests[name](field, values.join(words.or))
}

/** Returns sentences that say when pages ask for a field, and when it is required. */
export function rowInWords(
  names: Names,
  { asked, required = false }: Pick<ProfileRow, 'asked' | 'required'>,
) {
  const { rows } = WORDS[names.language]
  const inWords = (condition: Condition) => conditionInWords(names, condition)
  if (typeof required === 'object' && !isSame(asked, required))
    return asked
      ? `${rows.askedIf(inWords(asked))} ${rows.requiredIf(inWords(required))}`
      : `${rows.requiredIf(inWords(required))} ${rows.otherwiseOptional}`
  if (asked && required) return `${rows.requiredIf(inWords(asked))} ${rows.notAsked}`
  if (asked) return rows.optionalIf(inWords(asked))
  return required ? rows.required : rows.optional
}
