/** Codes and moments in words. */
import { labelOf as labelOfField } from '../fields.tsx'
import type { Frame } from '../layout.tsx'
import { isTextName, type Translate } from '../texts/index.ts'

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
export function momentOf({ language }: Pick<Frame, 'language'>, moment: Date | number): string {
  const format = FORMATS.get(language) ?? new Intl.DateTimeFormat(language, MOMENT)
  FORMATS.set(language, format)
  return format.format(typeof moment === 'number' ? moment * 1_000 : moment)
}

const MOMENT = { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23', timeZone: 'UTC' } as const
/** Making one takes as long as using it forty times. */
const FORMATS = new Map<string, Intl.DateTimeFormat>()
