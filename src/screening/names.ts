/** Compares names regardless of their script, word order and spelling. */
import { latinWordsOf, spellingsOf } from '../db/cases/name-words.ts'
import { ATTACHED_FORMS, LEGAL_FORMS } from './legal-forms.ts'
import { jaroWinkler, levenshtein } from './similarity.ts'

/** Words that do not distinguish one company from another, and short legal forms that the list of forms lacks. */
const COMPANY_WORDS = new Set(
  'corp corporation co company sasu sl slu asa zoo pte pty pvt private sdn llp limitada sociedad sal wll kk tbk the and of'.split(
    ' ',
  ),
)
/** Particles of Arabic names, which transcriptions write differently or omit. */
const PARTICLES = new Set('al el ul il ad ed as es ash ar er an en at et az ez bin ibn ben bint'.split(' '))
/** The number of words that a name keeps without its particles. */
const MIN_WORDS = 2
const TITLES = new Set('mr mrs ms dr prof sir haji sheikh'.split(' '))

/** The most words of a legal form that are compared. */
const MAX_FORM_WORDS = 8

/** Removes legal forms, which registers and people write with and without dots and spaces. */
function withoutLegalForms(words: readonly string[]): string[] {
  const left: string[] = []
  for (let at = 0; at < words.length; ) {
    const length = longestForm(words, at)
    if (length === 0) left.push(words[at] ?? '')
    at += Math.max(1, length)
  }
  return left
}

/** Returns how many words the longest legal form at this position has, or 0 if there is none. */
function longestForm(words: readonly string[], at: number): number {
  for (let length = Math.min(MAX_FORM_WORDS, words.length - at); length > 0; length -= 1) {
    const joined = words.slice(at, at + length).join('')
    if (LEGAL_FORMS.has(joined) || (length === 1 && COMPANY_WORDS.has(joined))) return length
  }
  return 0
}

/** Legal forms at the beginning or the end of a name in a script without spaces. */
const ATTACHED = new RegExp(
  `^(${byLength(ATTACHED_FORMS).join('|')})|(${byLength(ATTACHED_FORMS).join('|')})$`,
  'gu',
)

function byLength(texts: readonly string[]): string[] {
  return texts.toSorted((one, other) => other.length - one.length)
}

/** Returns the words of a name in Latin letters, in their original order and without legal forms and titles. */
function wordsOf(text: string, kind: 'company' | 'person'): string[] {
  if (kind === 'person') return withoutParticles(orAll(latinWordsOf(text), withoutTitles))
  return orAll(latinWordsOf(text.trim().replace(ATTACHED, ' ').trim() || text), withoutLegalForms)
}

const withoutTitles = (words: readonly string[]): string[] => words.filter((word) => !TITLES.has(word))

/** Removes particles, and the article after "Abd", which is a part of the same name. */
function withoutParticles(words: readonly string[]): string[] {
  const left = words.filter((word) => !PARTICLES.has(word))
  const kept = left.length < MIN_WORDS ? words : left
  return kept.map((word) => word.replace(/^abd[aeu]l/, 'abd'))
}

/** Returns the remaining words, or all words if none remains. */
function orAll(words: readonly string[], remove: (words: readonly string[]) => string[]): string[] {
  const left = remove(words)
  return left.length > 0 ? left : [...words]
}

/** A name in the form in which it is compared. */
export interface Form {
  /** The sorted words, separated by spaces. */
  readonly text: string
  /**
   * The words without spaces, in three orders: sorted, as written, and with the last word first, because it may be the
   * surname.
   */
  readonly whole: readonly string[]
}

/** Returns the forms of a name, one for each spelling. */
export function formsOf(text: string, kind: 'company' | 'person'): Form[] {
  return spellingsOf(text).flatMap((each) => {
    const words = wordsOf(each, kind)
    if (words.length === 0) return []
    const sorted = words.toSorted()
    const orders = [sorted, words, [...words.slice(-1), ...words.slice(0, -1)]]
    return [{ text: sorted.join(' '), whole: orders.map((order) => order.join('')) }]
  })
}

/** Returns true if the names are the same, regardless of spaces. */
export const isSame = (one: Form, other: Form): boolean =>
  one.whole.some((each) => other.whole.includes(each))

/** The maximum size of the cache. Common words occur in thousands of names. */
const MAX_SOUNDS = 200_000
const sounds = new Map<string, string>()

/** How many letters of a word are processed. No real word is longer. */
const MAX_LETTERS = 100

/**
 * Rewrites a word to its first letter and its consonants. Letters that transcriptions into English, French, German and
 * other languages exchange become one letter.
 */
const SOUND: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/tsch|tch/g, 'ch'],
  [/sch/g, 'sh'],
  [/dsch|dzh|dj/g, 'j'],
  [/^(?:y|j|i)(?=[eiouy])/, ''],
  [/(?<=[aeiou])j(?![aeiou])|(?<=[bcdfghklmnprstvxz])j/g, ''],
  [/^[ei]/, 'i'],
  [/^ou|^u/, 'o'],
  [/w/g, 'v'],
  [/ph/g, 'f'],
  [/x/g, 'ks'],
  [/[cq]/g, 'k'],
  [/z/g, 's'],
  [/d/g, 't'],
  [/(?<=[^aeiouy])h/g, ''],
  [/(?<=.)[aeiouy]/g, ''],
  [/(.)\1+/g, '$1'],
]

/** Returns a form of the word that is the same for all its usual spellings, in any language. */
export function soundOf(word: string): string {
  const slice = word.slice(0, MAX_LETTERS)
  const known = sounds.get(slice)
  if (known !== undefined) return known
  // Copies the letters, because a slice would keep the whole name in memory.
  const letters = Buffer.from(slice).toString()
  const sound = /^[a-z]+$/.test(letters) ? SOUND.reduce(rewrite, letters) : letters
  if (sounds.size >= MAX_SOUNDS) sounds.clear()
  sounds.set(letters, sound)
  return sound
}

const rewrite = (word: string, [pattern, replacement]: (typeof SOUND)[number]) =>
  word.replace(pattern, replacement)

interface Likeness {
  readonly name: 'name_exact' | 'name_phonetic' | 'name_levenshtein' | 'name_jaro_winkler'
  readonly score: number
}

const ALIKE = 0.88
const PER_EXTRA_WORD = 0.05
/** The maximum score of a word-by-word comparison. */
const ALIGNED = 0.8

/** Returns by how many letters two spellings of a name may differ: one in six letters, but at least one. */
const mayDiffer = (longest: number): number => Math.max(1, Math.floor(longest / 6))

interface Size {
  readonly text: string
  readonly words: number
}

/** Rules out a score of `least` from the numbers of words and letters, before the slow comparison. */
export function cannotReachScore(one: Size, other: Size, least: number): boolean {
  const [length, otherLength] = [one.text.length, other.text.length]
  const extra = Math.abs(one.words - other.words)
  return (
    extra > 0 &&
    // Allows for rounding to two decimal places.
    ALIGNED * (1 - PER_EXTRA_WORD * extra) < least - 0.01 &&
    Math.abs(length - otherLength) > mayDiffer(Math.max(length, otherLength))
  )
}

const EXACT: Likeness = { name: 'name_exact', score: 1 }

/** Returns the similarity of two names, regardless of spaces, or null if they are not similar. */
export const likenessOfForms = (one: Form, other: Form, kind: 'company' | 'person'): Likeness | null =>
  isSame(one, other) ? EXACT : likenessOf(one.text, other.text, kind)

/**
 * Returns the similarity with the highest score of all comparisons, or null if no comparison finds the names similar.
 */
export function likenessOf(one: string, other: string, kind: 'company' | 'person'): Likeness | null {
  if (one === other) return EXACT
  const [left, right] = [one.split(' '), other.split(' ')]
  const found: Likeness[] = []
  if (kind === 'person' && soundsAlike(left, right)) found.push({ name: 'name_phonetic', score: 0.9 })
  const longest = Math.max(one.length, other.length)
  if (Math.abs(one.length - other.length) <= mayDiffer(longest)) {
    const spelling = levenshtein(one, other)
    if (Math.round(longest * (1 - spelling)) <= mayDiffer(longest))
      found.push({ name: 'name_levenshtein', score: 0.9 * spelling })
  }
  const aligned = alignment(left, right)
  if (aligned > 0) found.push({ name: 'name_jaro_winkler', score: ALIGNED * aligned })
  return found.sort((a, b) => b.score - a.score)[0] ?? null
}

/**
 * Returns whether the words sound alike. A word whose sound is one letter must have the same spelling, because many
 * words sound like it.
 */
function soundsAlike(left: readonly string[], right: readonly string[]): boolean {
  const heard = (words: readonly string[]) =>
    words.map((word) => (soundOf(word).length > 1 ? soundOf(word) : word)).sort()
  return left.length === right.length && heard(left).join(' ') === heard(right).join(' ')
}

/**
 * Pairs each word of the shorter name with the most similar word of the longer one, and returns the similarity. Returns
 * 0 if a word has no similar word, or if the shorter name is a single word.
 */
function alignment(left: readonly string[], right: readonly string[]): number {
  const [short, long] = left.length <= right.length ? [left, right] : [right, left]
  if (short.length < 2) return 0
  const free = [...long]
  let letters = 0
  let sum = 0
  for (const word of short) {
    const scores = free.map((each) => jaroWinkler(word, each))
    const best = Math.max(...scores)
    if (best < ALIKE) return 0
    free.splice(scores.indexOf(best), 1)
    letters += word.length
    sum += best * word.length
  }
  return Math.max(0, sum / letters - PER_EXTRA_WORD * free.length)
}
