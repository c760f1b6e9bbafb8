/** Lists the countries by name, sorted for each language. */
import { COUNTRY_CODES } from '../../domain/fields/countries.ts'
import { LANGUAGE_NAMES, type Language } from '../texts/index.ts'

interface Country {
  /** An ISO 3166-1 alpha-2 code. */
  readonly option: string
  readonly label: string
}

function inLanguage(language: Language): readonly Country[] {
  const names = new Intl.DisplayNames([language], { type: 'region' })
  const { compare } = new Intl.Collator(language)
  return COUNTRY_CODES.map((option) => ({ option, label: names.of(option) ?? option })).sort((a, b) =>
    compare(a.label, b.label),
  )
}

export const COUNTRIES = Object.fromEntries(
  LANGUAGE_NAMES.map((language) => [language, inLanguage(language)]),
) as Record<Language, readonly Country[]>
