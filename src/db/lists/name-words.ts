/** Rules for the words of names in Latin letters, and for the parts of words that a search compares. */
import anyAscii from 'any-ascii'
import { MAX_LETTERS, normalised } from '../../domain/base/combining-marks.ts'
import { spellAsPassport } from '../../domain/names/letters.ts'

/**
 * Returns the spellings of the name in lower case. A name with a letter such as "ü" or "ø" has two spellings, because
 * passports write "ue" and "oe".
 */
export function spellingsOf(text: string): string[] {
  const lower = normalised(text).toLowerCase().normalize('NFC')
  const spelt = spellAsPassport(lower)
  return lower === spelt ? [lower] : [lower, spelt]
}

/** Returns the words in Latin letters, in their original order. */
export const latinWordsOf = (text: string): string[] =>
  anyAscii(text)
    .toLowerCase()
    .replace(/['’`´ʻʼ]/g, '')
    .replace(/\b([a-z])\.(?=[a-z]\b)/g, '$1')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)

/** The shortest and the longest stored prefix. A word that is shorter than both is stored completely. */
const MIN_PREFIX = 3
const MAX_PREFIX = 12
/** The maximum number of words that are stored for a name, and that a search looks up. */
const MAX_WORDS = 20
const MAX_TERMS = 6

type Word = readonly string[]

/**
 * Returns the words of a name or of a search. Each Chinese character counts as a word, because Chinese has no spaces.
 */
export function searchWordsOf(text: string): Word[] {
  const [words = [], others = words] = spellingsOf(text.slice(0, MAX_LETTERS)).map((spelling) =>
    latinWordsOf(spelling.slice(0, MAX_LETTERS).replace(/\p{Script=Han}/gu, ' $& ')),
  )
  // The spellings of an abbreviation with an umlaut can have different numbers of words.
  const spelt = others.length === words.length ? others : words
  return words.map((word, n) => [...new Set([word, spelt[n] ?? word])])
}

/** Returns the prefixes of all words in the names, and the complete words of one and two letters. */
export const namePartsOf = (names: readonly string[]): Set<string> =>
  new Set(names.flatMap((name) => searchWordsOf(name).slice(0, MAX_WORDS).flat().flatMap(prefixesOf)))

function prefixesOf(word: string): string[] {
  const lengths = Math.min(word.length, MAX_PREFIX) - MIN_PREFIX + 1
  return lengths < 1 ? [word] : Array.from({ length: lengths }, (_, n) => word.slice(0, MIN_PREFIX + n))
}

/** Returns the parts that a matching name must have, for each spelling of each search term. */
export const searchPartsOf = (words: readonly Word[]): string[][] =>
  words.slice(0, MAX_TERMS).map((word) => word.map((spelling) => spelling.slice(0, MAX_PREFIX)))

/**
 * Returns true if each word of the search begins a word of the name. A word of one or two letters must match
 * completely.
 */
export function matchesName(words: readonly Word[], name: string): boolean {
  const own = searchWordsOf(name).flat()
  return words.every((word) =>
    word.some((spelling) =>
      own.some((each) => (spelling.length < MIN_PREFIX ? each === spelling : each.startsWith(spelling))),
    ),
  )
}
