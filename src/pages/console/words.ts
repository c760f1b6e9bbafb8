/** Codes in words. */
import type { Frame } from '../layout.tsx'
import { isTextName } from '../texts/index.ts'

/** A code in words, where there are any. */
export function wordOf({ t }: Pick<Frame, 't'>, group: string, code: string): string {
  const name = `${group}.${code}`
  return isTextName(name) ? t(name) : code
}
