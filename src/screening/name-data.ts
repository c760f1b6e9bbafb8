/** The legal forms, common words and spellings of names, which `npm run name-data` generates. */
import { readFileSync } from 'node:fs'

interface Companies {
  readonly forms: readonly string[]
  readonly attached: readonly string[]
  readonly words: readonly string[]
  readonly places: readonly string[]
}
interface People {
  readonly titles: readonly string[]
  readonly names: readonly string[]
  readonly nicknames: readonly string[]
  readonly common: Readonly<Record<string, string>>
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`./data/${name}.json`, import.meta.url), 'utf8'))
const companies: Companies = read('companies')
const people: People = read('people')

/** Short legal forms that the list lacks, and words that do not distinguish one company from another. */
const MORE_FORMS =
  'corp corporation co company sasu sl slu asa zoo pte pty pvt private sdn llp limitada sociedad sal wll kk tbk the and of'

/** The legal forms in Latin letters, without spaces and punctuation. */
export const LEGAL_FORMS: ReadonlySet<string> = new Set([...companies.forms, ...MORE_FORMS.split(' ')])
/** The legal forms that are written without a space before or after the name. */
export const ATTACHED_FORMS = companies.attached
export const TITLES: ReadonlySet<string> = new Set([...people.titles, 'senior'])

/** Groups of words that can be the same. */
type Groups = ReadonlyMap<string, readonly number[]>

function groupsOf(lines: readonly string[]): Groups {
  const groups = new Map<string, number[]>()
  for (const [group, line] of lines.entries())
    for (const word of line.split(' ')) {
      const known = groups.get(word)
      if (known) known.push(group)
      else groups.set(word, [group])
    }
  return groups
}

/** Words of companies that mean the same in several languages. None of them distinguishes one company from another. */
export const COMPANY_WORDS = groupsOf(companies.words)
const places = new Set(companies.places)
/** The spellings of the same name in several languages, as the sounds that `soundsOf` returns. */
export const NAMES = groupsOf(people.names)
export const NICKNAMES = groupsOf(people.nicknames)

/** The weights of names that are common in many countries. Any other name has the weight 1. */
const WEIGHTS: Readonly<Record<string, number>> = { 12: 0.8, 20: 0.5, 35: 0.3 }
const weights = new Map(
  Object.entries(people.common).flatMap(([count, words]) =>
    words.split(' ').map((word) => [word, WEIGHTS[count] ?? 1] as const),
  ),
)
const PATRONYMIC = /(?:[oe]v|[^aeiou]i)(?:iS|ik|na)$/
/** Parts of Arabic names that say nothing without the next word. */
const PREFIXES = /^(?:abd|abu|um)$/

/** Returns how much a word says about who has the name. */
export const weightOfName = (sounds: string): number =>
  PATRONYMIC.test(sounds) || PREFIXES.test(sounds) ? 0.3 : (weights.get(sounds) ?? 1)
export const weightOfCompanyWord = (word: string): number =>
  COMPANY_WORDS.has(word) || word.length < 3 ? 0.3 : places.has(word) ? 0.5 : 1
