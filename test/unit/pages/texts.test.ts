/** Tests that each language has the texts that its readers need. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import { describe, expect, test } from 'vitest'
import { ERRORS, type ErrorEntry } from '../../../src/domain/base/errors.ts'
import { COMPLETE_LANGUAGES, LANGUAGE_NAMES } from '../../../src/domain/base/language.ts'
import { CONSENT, CONSENTS } from '../../../src/domain/identification/person-form.ts'
import { missingText } from '../../../src/pages/applicant/base/due.ts'
import en from '../../../src/pages/texts/en.json' with { type: 'json' }
import { directionOf, joinLabels, LANGUAGES, translate } from '../../../src/pages/texts/index.ts'

const FOLDER = new URL('../../../src/pages/texts/', import.meta.url)
const FOR_OPERATORS = /^(console|settings|figures|sso|codes|actions)(\.|$)/

/** The texts of applicants' pages, and those of error codes, which English and German have next to the codes. */
const TEXTS = Object.keys(en).filter((key) => !FOR_OPERATORS.test(key))
const ERROR_TEXTS = Object.entries(ERRORS as Readonly<Record<string, ErrorEntry>>).flatMap(
  ([code, { pages }]) => (pages?.applicant ? `error.${code}` : []),
)

const isComplete = (name: string) => COMPLETE_LANGUAGES.some((each) => each === name)
const read = async (name: string): Promise<Record<string, string>> =>
  (await import(`../../../src/pages/texts/${name}.json`, { with: { type: 'json' } })).default

/** The type of elements without a placeholder. */
const LITERAL = 0

type Element = ReturnType<IntlMessageFormat['getAst']>[number]

/** Returns the placeholders of a text, such as `{name}`. */
const argumentsOf = (text: string): string[] => {
  const namesIn = (element: Element): string[] => [
    ...('value' in element && element.type !== LITERAL ? [element.value] : []),
    ...('options' in element
      ? Object.values(element.options).flatMap(({ value }) => value.flatMap(namesIn))
      : []),
  ]
  return [...new Set(new IntlMessageFormat(text, 'en').getAst().flatMap(namesIn))].sort()
}

test.each([
  ['en', ['Owner', 'Director', 'UBO form'], 'Owner, director and UBO form'],
  ['de', ['Inhaber', 'Geschäftsführer'], 'Inhaber und Geschäftsführer'],
  ['pl', ['Właściciel', 'Członek zarządu', 'Łącznik'], 'Właściciel, członek zarządu i łącznik'],
  ['en', [], ''],
] as const)('joins labels as a sentence in %s: %j', (language, labels, sentence) => {
  expect(joinLabels(language, labels)).toBe(sentence)
})

test('each file of texts is a language', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'))
  expect(files.map((file) => file.replace('.json', '')).sort()).toEqual([...LANGUAGE_NAMES].sort())
})

/** The texts that follow the answer, so they are not a part of the consent. */
const AFTER_CONSENT = /^consent\.(declined|again|given|unanswered)/

test('the texts of the consent are kept under its version', async () => {
  const kept = async (version: string) =>
    (await import(`../../../src/pages/texts/consents/${version}.json`, { with: { type: 'json' } })).default
  const isAgreed = ([key]: [string, unknown]) => key.startsWith('consent.') && !AFTER_CONSENT.test(key)
  const agreed = Object.fromEntries(
    await Promise.all(
      LANGUAGE_NAMES.map(async (name) => [
        name,
        Object.fromEntries(Object.entries(await read(name)).filter(isAgreed)),
      ]),
    ),
  )
  expect(await kept(CONSENT)).toEqual(agreed)
  const digests = CONSENTS.map((version) => {
    const text = readFileSync(new URL(`consents/${version}.json`, FOLDER))
    return [version, createHash('sha256').update(text).digest('hex').slice(0, 16)]
  })
  // Applicants have agreed to these texts, so a change of them needs a new version.
  expect(Object.fromEntries(digests)).toEqual({
    '2026-11-29': '6dfcb60b7bc466c2',
    '2026-11-30': 'c4ffb5e90822c8f0',
    '2026-12-01': '102d8fb764b80b8d',
  })
})

describe.each(LANGUAGE_NAMES)('texts in %s', (name) => {
  test('are complete for their readers, without unknown keys', async () => {
    const expected = isComplete(name) ? Object.keys(en) : [...TEXTS, ...ERROR_TEXTS]
    expect(Object.keys(await read(name)).sort()).toEqual(expected.sort())
  })
  test('have the placeholders of the English ones', async () => {
    const texts = await read(name)
    for (const key of isComplete(name) ? Object.keys(en) : TEXTS)
      expect([key, ...argumentsOf(texts[key] ?? '')]).toEqual([
        key,
        ...argumentsOf(en[key as keyof typeof en]),
      ])
  })
  test('keep numbers and units, and the parts of an abbreviation, on one line', async () => {
    const divisible = /\d (?:[kM]B|%)(?![\w{])|\bz\. B\./i
    expect(Object.values(await read(name)).filter((text) => divisible.test(text))).toEqual([])
  })
  test('end no line with a word of one letter in Polish', async () => {
    const divisible = /(?<![\p{L}\d\u00a0{}])[iwzoua] (?=\S)/iu
    const texts = name === 'pl' ? Object.values(await read(name)) : []
    expect(texts.filter((text) => divisible.test(text))).toEqual([])
  })
  test('can be parsed', async () => {
    for (const text of Object.values(await read(name)))
      expect(new IntlMessageFormat(text, name).getAst().length).toBeGreaterThan(0)
  })
})

test.each([
  ['de', /^/, /Unterlage/, 'Dokument'],
  ['de', /^/, /(?<!\p{L})an(ge)?leg|(?<!\p{L})leg(t|en Sie) [^.]* an(?!\p{L})/iu, 'erstellen'],
  ['de', /^console\.client\./, /(?<!\p{L})F[aä]ll/u, 'Antrag'],
  ['en', /^console\.client\./, /\bcases?\b/, 'application'],
])('the %s texts %s have no %s, because the word for it is %s', async (name, keys, word) => {
  const texts = Object.entries(await read(name))
  expect(texts.filter(([key, text]) => keys.test(key) && word.test(text))).toEqual([])
})

test('texts of operators are in English if the language has none', () => {
  expect(LANGUAGES.pl['console.queue']).toBe(en['console.queue'])
})

test.each([
  ['en', { answers: 2, documents: 4 }, '2 answers and 4 documents missing'],
  ['en', { answers: 1 }, '1 answer missing'],
  ['en', { documents: 5, ids: 1 }, '5 documents and 1 ID missing'],
  ['de', { answers: 1, documents: 2, ids: 1 }, 'Noch offen: 1 Antwort, 2 Dokumente und 1 Ausweis'],
  ['de', { answers: 1, documents: 1 }, 'Noch offen: 1 Antwort und 1 Dokument'],
  ['de', { answers: 0, documents: 4 }, 'Noch offen: 4 Dokumente'],
  ['pl', { answers: 2, photos: 5 }, 'Brakuje 2 odpowiedzi i 5 zdjęć'],
] as const)('count everything missing in %s: %o', (language, missing, text) => {
  expect(missingText({ t: translate(language), language }, missing)).toBe(text)
})

test('languages that are written from the right have this direction', () => {
  expect([directionOf('ar'), directionOf('he'), directionOf('pl')]).toEqual(['rtl', 'rtl', 'ltr'])
})
