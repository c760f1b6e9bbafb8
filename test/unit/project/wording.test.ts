/** Tests the wording of documentation, page texts, messages, comments and test names. */
import { expect, test } from 'vitest'
import en from '../../../src/pages/texts/en.json' with { type: 'json' }
import {
  commentsOf,
  filesIn,
  longSentences,
  type Match,
  matchesIn,
  paragraphsOf,
  readSource,
  stringsOf,
  testNamesOf,
} from '../../support/wording.ts'

const filesOf = (...paths: string[]) => paths.flatMap((path) => filesIn(path, ['.ts', '.tsx', '.mjs', '.md']))
const CODE = filesOf('src', 'activities', 'workflows', 'drizzle')
const TOOLS = filesOf('dev', 'bench')
const TESTS = filesOf('test')
const DOCS = filesOf('README.md', 'docs', 'deploy')
const MESSAGES = filesOf('src/contracts', 'src/api', 'src/domain').concat(
  CODE.filter((file) => /\berrors?\b|error-guide/.test(file)),
)

/** The number of matches in each area. Lower it with the matches, and never raise it. */
const AREAS: readonly [name: string, limit: number, matches: () => Match[]][] = [
  ['documentation', 0, () => matchesIn(DOCS.flatMap(paragraphsOf))],
  ['page texts', 0, () => matchesIn(stringsOf('src/pages/texts/en.json'), true)],
  ['messages and descriptions', 6, () => matchesIn([...new Set(MESSAGES)].flatMap(stringsOf), true)],
  ['command line', 8, () => matchesIn(filesOf('src/cli', 'dev').flatMap(stringsOf), true)],
  ['comments', 0, () => matchesIn([...CODE, ...TOOLS].flatMap(commentsOf))],
  ['tests', 6, () => matchesIn(TESTS.flatMap((file) => [...commentsOf(file), ...testNamesOf(file)]))],
]

const listed = (matches: readonly Match[]): string =>
  matches.map(({ file, line, pattern, text }) => `${file}:${line} ${pattern}: ${text}`).join('\n')

test.each(AREAS)('%s: %i matches', (_name, limit, matches) => {
  const found = matches()
  expect(found.length, listed(found)).toBe(limit)
})

test('documentation has no sentence of more than 25 words', () => {
  const found = longSentences(DOCS.flatMap(paragraphsOf))
  expect(found.length, found.map(({ file, line }) => `${file}:${line}`).join('\n')).toBe(0)
})

test('every page text is used', () => {
  const sources = filesOf('src')
    .filter((file) => !file.includes('/texts/'))
    .map(readSource)
    .join('\n')
  // A key that is put together, such as `due.${reason}`, uses all keys of its form.
  const forms = [...sources.matchAll(/`((?:[\w.]|\$\{[^{}`]*\})*\$\{[^`]*)`/g)]
    .map(([, form = '']) => form.split(/\$\{[^{}]*\}/))
    .filter((literals) => literals.join('').length > 3)
    .map((literals) => new RegExp(`^${literals.map((part) => part.replace(/\W/g, '\\$&')).join('.+')}$`))
  // `wordOf(frame, 'console.outcome', code)` uses all keys of the group.
  const literals = new Set([...sources.matchAll(/'([\w.]+)'/g)].map(([, literal]) => literal))
  const isGroup = (key: string) =>
    key.split('.').some((_part, n, parts) => n > 1 && literals.has(parts.slice(0, n).join('.')))
  const unused = Object.keys(en).filter(
    (key) => !literals.has(key) && !isGroup(key) && !forms.some((form) => form.test(key)),
  )
  expect(unused).toEqual([])
})
