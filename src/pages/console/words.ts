/** Codes and moments in words. */
import type { Frame } from '../layout.tsx'
import { isTextName } from '../texts/index.ts'

/** A code in words, where there are any. */
export function wordOf({ t }: Pick<Frame, 't'>, group: string, code: string): string {
  const name = `${group}.${code}`
  return isTextName(name) ? t(name) : code
}

/** The same everywhere in the console: in UTC, which operators of several countries share. */
export const momentOf = ({ language }: Pick<Frame, 'language'>, moment: Date | number): string =>
  new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
    timeZone: 'UTC',
  }).format(typeof moment === 'number' ? moment * 1_000 : moment)
