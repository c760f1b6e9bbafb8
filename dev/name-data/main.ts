/**
 * Command: `npm run name-data`. Writes the data in `src/screening/data`: legal forms and common words of companies, and
 * the spellings of personal names. The data is part of the Python packages rigour and nicknames, which pip downloads.
 * Needs Python 3.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { searchWordsOf } from '../../src/db/lists/name-words.ts'
import { firmOf, likenessOfSounds, soundsOf } from '../../src/screening/spelling.ts'

/** The last version of rigour whose wheel contains the data as text. */
const RIGOUR = 'rigour==1.8.2'
const NICKNAMES = 'nicknames==1.0.1'

interface LegalForm {
  readonly display?: string | null
  readonly compare?: string | null
  readonly aliases: readonly string[]
}
type Groups = readonly (readonly string[])[]
interface Data {
  readonly legalForms: readonly LegalForm[]
  readonly titles: readonly string[]
  readonly places: readonly string[]
  readonly companyWords: Groups
  readonly nicknames: Groups
  readonly names: Groups
}

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-name-data-'))
const python = (...args: string[]) =>
  execFileSync('python3', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
python('-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', RIGOUR, NICKNAMES)
python(fileURLToPath(new URL('./read.py', import.meta.url)))
const data = JSON.parse(readFileSync(join(folder, 'data.json'), 'utf8')) as Data
rmSync(folder, { recursive: true })

/** Returns the words of a text in Latin letters, in the spelling of passports and with plain letters. */
const latinOf = (text: string): string[][] => {
  const words = searchWordsOf(text.replaceAll(/\p{Script=Han}+/gu, (each) => `${each} `))
  return [0, 1].map((n) => words.map((spellings) => spellings.at(n) ?? spellings[0] ?? ''))
}
const unique = (texts: readonly string[]): string[] => [...new Set(texts)].toSorted()

const forms = data.legalForms.flatMap(({ display, compare, aliases }) =>
  [display, compare, ...aliases].filter((each) => each),
) as string[]
const isForm = (each: string) => each.length > 1 && each.length < 80
/** The forms without spaces, because registers write "S.à r.l." and "S. a r. l.". */
const joined = forms.flatMap((text) => latinOf(text).map((words) => words.join('')))
/** Forms in scripts without spaces, which are part of the same word as the name. */
const attached = forms.filter((text) => /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Thai}]+$/u.test(text))

const singleWords = (texts: readonly string[]): string[] =>
  unique(texts.flatMap((text) => latinOf(text).flatMap((words) => (words.length === 1 ? words : []))))

/** Returns the groups of words that have one word each, without groups of one word and doubles. */
const wordGroups = (groups: Groups, form: (word: string) => string): string[] =>
  unique(
    groups
      .map((group) =>
        unique(
          group.flatMap((text) =>
            latinOf(text).flatMap((words) => (words.length === 1 ? form(words[0] ?? '') : [])),
          ),
        ),
      )
      .filter((words) => words.length > 1)
      .map((words) => words.join(' ')),
  )

/** The letters of other scripts show little of the sound. */
const isSpelt = (text: string) =>
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}'’ʼ-]+$/u.test(text)
const spelt = data.names.map((group) => group.filter(isSpelt))
/** Omits the spellings that are found by their sounds, and those of which one is the beginning of another. */
const withoutAlike = (group: string): string[] => {
  const words = group.split(' ')
  const sounds = (word: string) => ({ sounds: word, firm: firmOf(word) })
  const isAlike = (one: string, other: string) =>
    likenessOfSounds(sounds(one), sounds(other)) > 0 || one.startsWith(other) || other.startsWith(one)
  const unlike = words.filter((one) => words.some((other) => !isAlike(one, other)))
  return unlike.length > 1 ? [unlike.join(' ')] : []
}

/** How many spellings the groups of a word have. Names that are common in many countries have many. */
const counts = new Map<string, number>()
for (const group of data.names)
  for (const word of new Set(
    group
      .filter((text) => /^\p{Script=Latin}+$/u.test(text))
      .flatMap((text) => latinOf(text)[1] ?? [])
      .map(soundsOf),
  ))
    counts.set(word, (counts.get(word) ?? 0) + group.length)
const common = (from: number, to: number) =>
  unique([...counts].filter(([, count]) => count >= from && count < to).map(([word]) => word)).join(' ')

function write(name: string, content: object): void {
  const file = new URL(`../../src/screening/data/${name}.json`, import.meta.url)
  const lines = Object.entries(content).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  )
  writeFileSync(fileURLToPath(file), `{\n${lines.join(',\n')}\n}\n`)
}
write('companies', {
  forms: unique(joined.filter(isForm)),
  attached: unique(attached.filter(isForm)),
  words: wordGroups(data.companyWords, (word) => word),
  places: singleWords(data.places),
})
write('people', {
  titles: singleWords(data.titles),
  names: unique(wordGroups(spelt, soundsOf).flatMap(withoutAlike)),
  nicknames: wordGroups(data.nicknames, soundsOf),
  common: { 12: common(12, 20), 20: common(20, 35), 35: common(35, Number.POSITIVE_INFINITY) },
})
