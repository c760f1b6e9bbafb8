/** Codes and moments in words. */
import type { Language } from '../../domain/access/branding.ts'
import { labelOf as labelOfField } from '../components/fields.tsx'
import type { Frame } from '../components/layout.tsx'
import { isTextName, LOCALES, type Translate } from '../texts/index.ts'

/** A field as operators call it: the pages of applicants speak to whom it is about. */
export function labelOf(t: Translate, field: string): string {
  const name = `console.field.${field}`
  return isTextName(name) ? t(name) : labelOfField(t, field)
}

/** A code in words, where there are any. */
export function wordOf({ t }: Pick<Frame, 't'>, group: string, code: string): string {
  const name = `${group}.${code}`
  return isTextName(name) ? t(name) : code
}

/** The same everywhere in the console: in UTC, which operators of several countries share. */
export const momentOf = ({ language }: Pick<Frame, 'language'>, moment: Date | number): string =>
  FORMATS[language].format(typeof moment === 'number' ? moment * 1_000 : moment)

const formatIn = (language: Language) =>
  new Intl.DateTimeFormat(LOCALES[language], {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
    timeZone: 'UTC',
  })
/** Making one takes as long as using it forty times. */
const FORMATS: Record<Language, Intl.DateTimeFormat> = { en: formatIn('en'), de: formatIn('de') }
