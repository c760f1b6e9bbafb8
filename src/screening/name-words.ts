/** Divides names into the words that distinguish them. */
import { latinWordsOf } from '../db/lists/name-words.ts'
import { ATTACHED_FORMS, LEGAL_FORMS, TITLES } from './name-data.ts'
import type { Kind } from './word.ts'

/** Particles of Arabic names, which transcriptions write differently or omit. */
export const PARTICLES = new Set(
  'al el ul il ad ed ud as es ash ar er ur an en at et az ez bin bn ibn ben bint'.split(' '),
)
/** Titles that are not names. */
const NO_NAMES = new Set('mr mrs ms dr prof sir haji hajji hajj sheikh shaikh shaykh mullah the'.split(' '))
/** The number of words that a name keeps without its particles. */
const MIN_WORDS = 2

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
  for (let length = Math.min(MAX_FORM_WORDS, words.length - at); length > 0; length -= 1)
    if (LEGAL_FORMS.has(words.slice(at, at + length).join(''))) return length
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
export function wordsOf(text: string, kind: Kind): string[] {
  if (kind === 'company')
    return orAll(latinWordsOf(text.trim().replace(ATTACHED, ' ').trim() || text), withoutLegalForms)
  // Each character of these scripts is a word, and the last letter of Arabic feminine names is silent.
  const spaced = text
    .replace(/[\p{Script=Han}\p{Script=Hangul}]/gu, ' $& ')
    .replaceAll('ة', 'ه')
    .replaceAll('.', ' ')
  return withoutParticles(withoutTitles(latinWordsOf(spaced)))
}

/** Removes titles. Those that are names as well are removed only before a name of at least two other words. */
function withoutTitles(all: readonly string[]): readonly string[] {
  const words = orAll(all, (each) => each.filter((word) => !NO_NAMES.has(word)))
  const first = words.findIndex((word) => !TITLES.has(word))
  return first > 0 && words.length - first >= MIN_WORDS ? words.slice(first) : words
}

/** Removes particles, and separates "Abd", whose article is a part of the same name. */
function withoutParticles(words: readonly string[]): string[] {
  const separate = words.flatMap((word) =>
    word
      .replace(ABD, (_, rest = '') => `abd ${rest}`)
      .trim()
      .split(' '),
  )
  const left = separate.filter((word) => !PARTICLES.has(word))
  return left.length < MIN_WORDS ? separate : left
}

const ABD = /^(?!abd[aeou]?l?l?ah?$)abd[aeou]?(?:l(?!l)|(?=rr|ss|nn|zz|dd))?((?:.{4,})?)$/

/** Returns the remaining words, or all words if none remains. */
function orAll(words: readonly string[], remove: (words: readonly string[]) => string[]): string[] {
  const left = remove(words)
  return left.length > 0 ? left : [...words]
}
