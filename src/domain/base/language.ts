/** Lists the languages of pages and comment templates. */

/** The languages of applicants' pages. Each has a file of texts in `src/pages/texts`. */
export const LANGUAGE_NAMES = ['en', 'de', 'pl'] as const
export type Language = (typeof LANGUAGE_NAMES)[number]

/** The locale that formats the dates and numbers of each language. */
export const LOCALES = { en: 'en-GB', de: 'de', pl: 'pl' } as const satisfies Record<Language, string>

/** The languages in which all texts exist, including those for operators. New vaults offer these. */
export const COMPLETE_LANGUAGES = ['en', 'de'] as const satisfies readonly Language[]
export type CompleteLanguage = (typeof COMPLETE_LANGUAGES)[number]
