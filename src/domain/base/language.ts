/** Lists the languages of pages and comment templates. */

export const LANGUAGE_NAMES = ['en', 'de'] as const
export type Language = (typeof LANGUAGE_NAMES)[number]
