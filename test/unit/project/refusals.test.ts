/** Tests that pages have a text in each language for each code with which their use cases refuse a request. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { pageText, type Reader, type Refusals } from '../../../src/domain/base/errors.ts'
import { LANGUAGE_NAMES } from '../../../src/domain/base/language.ts'

/** Codes for which the console shows a page of its own. */
const OWN_PAGE = ['too_many_attempts', 'password_change_required']

/** The codes of a use case, or of each of its variants. */
type Declared = Refusals | { readonly [variant: string]: Declared }

interface UseCase {
  readonly refuses?: Declared
}

const codesIn = (declared: Declared): string[] =>
  Array.isArray(declared)
    ? (declared as Refusals).map((each) => (typeof each === 'string' ? each : each.code))
    : Object.values(declared).flatMap(codesIn)

const IMPORT = /import \{([^}]*)\} from '([^']*use-cases[^']*)'/g

/** Returns the names of the use cases that a page imports, with their codes. */
async function refusalsOf(file: string): Promise<(readonly [name: string, code: string])[]> {
  const found = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(async ([, names = '', path = '']) => {
    const useCases: Record<string, UseCase> = await import(resolve(dirname(file), path))
    return names
      .split(',')
      .map((name) => name.trim().split(' as ')[0] ?? '')
      .flatMap((name) => codesIn(useCases[name]?.refuses ?? []).map((code) => [name, code] as const))
  })
  return (await Promise.all(found)).flat()
}

const PAGES: readonly (readonly [Reader, files: string[]])[] = [
  ['operator', globSync('src/pages/console/{account,base,case,figures,lists}/*.{ts,tsx}')],
  ['administrator', globSync('src/pages/console/{settings,webhook}/**/*.{ts,tsx}')],
]

test.each(PAGES)('for %ss', async (reader, files) => {
  const refusals = (await Promise.all(files.map(refusalsOf))).flat()
  expect(refusals.length).toBeGreaterThan(1)
  const missing = refusals.filter(
    ([, code]) =>
      !OWN_PAGE.includes(code) &&
      LANGUAGE_NAMES.some((language) => !pageText(code as never, reader, language)),
  )
  expect(missing).toEqual([])
})
