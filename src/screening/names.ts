/** Compares names regardless of their script, word order and spelling. */
import { spellingsOf } from '../db/lists/name-words.ts'
import type { Subject } from '../domain/screening/screening.ts'
import { PARTICLES, wordsOf } from './name-words.ts'
import { likenessOfSounds } from './spelling.ts'
import { type Kind, likenessOfWords, type Word, wordOf } from './word.ts'

/** A name in the form in which it is compared. */
export interface Form {
  /** The words in the order in which they are written. */
  readonly words: readonly Word[]
  /** The words without spaces: sorted, as written, and with the last word first, because it may be the surname. */
  readonly whole: readonly string[]
}

/** The most words of a name that are compared. */
const MAX_WORDS = 40

/** Returns the forms of a name, one for each spelling. */
export function formsOf(text: string, kind: Kind): Form[] {
  return spellingsOf(text).flatMap((each) => {
    const words = wordsOf(each, kind)
    if (words.length === 0) return []
    const orders = [words.toSorted(), words, [...words.slice(-1), ...words.slice(0, -1)]]
    return [
      {
        words: words.slice(0, MAX_WORDS).map((word) => wordOf(word, kind)),
        whole: orders.map((order) => order.join('')),
      },
    ]
  })
}

const ofSubjects = new WeakMap<Subject, readonly { readonly name: string; readonly form: Form }[]>()

/** Returns the forms of all names of a subject. Remembers them, because a subject is compared with many entries. */
export function formsOfSubject(subject: Subject) {
  const known = ofSubjects.get(subject)
  if (known) return known
  const forms = subject.names.flatMap((name) => formsOf(name, subject.kind).map((form) => ({ name, form })))
  ofSubjects.set(subject, forms)
  return forms
}

/** Returns true if the names are the same, regardless of spaces. */
export const isSame = (one: Form, other: Form): boolean =>
  one.whole[0]?.length === other.whole[0]?.length && one.whole.some((each) => other.whole.includes(each))

/** Returns the words of a surname, without particles. */
export const wordsOfSurname = ({ words }: Form): Word[] => words.filter(({ text }) => !PARTICLES.has(text))

interface Likeness {
  readonly name: 'name_exact' | 'name_phonetic' | 'name_similar'
  readonly score: number
}

const EXACT: Likeness = { name: 'name_exact', score: 1 }
/** The highest score of names that are not the same. */
const SIMILAR = 0.95

/** A word that only an initial confirms says less. */
const INITIAL = { weight: 0.4, likeness: 0.8 }
/** How much an extra word counts, compared with a word that differs: between the others, or before or after them. */
const EXTRA = { between: 0.3, listed: 0.4, own: 0.7 }
/** How much it counts if only common words of companies differ. */
const COMMON_DIFFERS = 0.4
/** The sum of weights that a part of a longer name needs in order to count completely. */
const ENOUGH = 1.3

/** Returns the similarity of a name and a listed name, or null if they are not similar. */
export function likenessOf(own: Form, listed: Form, kind: Kind): Likeness | null {
  if (isSame(own, listed)) return EXACT
  const pairs = pairWords(own.words, listed.words)
  const isSurnameOnly = pairs.words < 2 && pairs.initials === 0 && own.words.length + listed.words.length > 2
  if (pairs.words === 0 || (kind === 'person' && isSurnameOnly)) return null
  const [extraOwn, extraListed] = [unpaired(own.words, pairs.own), unpaired(listed.words, pairs.listed)]
  const extra = extraOwn.length > extraListed.length ? extraOwn : extraListed
  const differing = Math.min(extraOwn.length, extraListed.length)
  const unit =
    kind === 'company' && [...extraOwn, ...extraListed].every(({ word }) => word.weight < 1)
      ? COMMON_DIFFERS
      : 1
  const outer = extra === extraOwn ? EXTRA.own : EXTRA.listed
  const share = extra.length === 0 ? 0 : (extra.length - differing) / extra.length
  const lost = extra.reduce(
    (sum, { word, isBetween }) => sum + word.weight * (isBetween ? EXTRA.between : outer),
    0,
  )
  const isPart = share > 0 && (kind === 'company' || extra.some(({ isBetween }) => !isBetween))
  const factor = isPart ? Math.min(1, pairs.weight / ENOUGH) ** 0.5 : 1
  const score = (pairs.sum / (pairs.weight + differing * unit + lost * share)) * factor
  return { name: extra.length === 0 ? 'name_phonetic' : 'name_similar', score: Math.min(SIMILAR, score) }
}

interface Extra {
  readonly word: Word
  /** Whether it is between words that the other name contains. */
  readonly isBetween: boolean
}

function unpaired(words: readonly Word[], isPaired: readonly boolean[]): Extra[] {
  const [first, last] = [isPaired.indexOf(true), isPaired.lastIndexOf(true)]
  return words.flatMap((word, n) => (isPaired[n] ? [] : [{ word, isBetween: n > first && n < last }]))
}

interface Pairs {
  readonly own: boolean[]
  readonly listed: boolean[]
  /** The weight of the paired words, and the same multiplied by their similarity. */
  weight: number
  sum: number
  words: number
  initials: number
}

/** Pairs each word with the most similar word of the other name, then joined words, and then initials. */
function pairWords(own: readonly Word[], listed: readonly Word[]): Pairs {
  const pairs: Pairs = {
    own: own.map(() => false),
    listed: listed.map(() => false),
    weight: 0,
    sum: 0,
    words: 0,
    initials: 0,
  }
  for (const [n, word] of own.entries()) {
    if (word.isInitial) continue
    let [best, at] = [0, -1]
    for (const [m, other] of listed.entries()) {
      if (pairs.listed[m] || other.isInitial) continue
      const likeness = likenessOfWords(word, other)
      if (likeness > best) [best, at] = [likeness, m]
    }
    if (at < 0) continue
    pairs.own[n] = pairs.listed[at] = true
    pairs.words += 1
    add(pairs, (word.weight + (listed[at]?.weight ?? 0)) / 2, best)
  }
  if (pairs.own.includes(false) && pairs.listed.includes(false)) {
    if (own.length !== listed.length) pairJoined(pairs, own, pairs.own, listed, pairs.listed)
    if (own.length !== listed.length) pairJoined(pairs, listed, pairs.listed, own, pairs.own)
    pairInitials(pairs, own, listed)
  }
  return pairs
}

function add(pairs: Pairs, weight: number, likeness: number): void {
  pairs.weight += weight
  pairs.sum += weight * likeness
}

/** Pairs words of one name with two words of the other name that are written as one. */
function pairJoined(
  pairs: Pairs,
  words: readonly Word[],
  isPaired: boolean[],
  others: readonly Word[],
  isOtherPaired: boolean[],
): void {
  for (let m = 0; m + 1 < others.length; m += 1) {
    if (isOtherPaired[m] || isOtherPaired[m + 1]) continue
    const [first, second] = [others[m], others[m + 1]]
    if (!first || !second) continue
    const joined = { sounds: `${first.sounds}${second.sounds}`, firm: first.firm + second.firm }
    const n = words.findIndex((word, at) => !isPaired[at] && likenessOfSounds(word, joined) > 0)
    if (n < 0) continue
    isPaired[n] = isOtherPaired[m] = isOtherPaired[m + 1] = true
    pairs.words += 2
    add(pairs, 1, likenessOfSounds(words[n] ?? joined, joined))
  }
}

function pairInitials(pairs: Pairs, own: readonly Word[], listed: readonly Word[]): void {
  for (const [n, word] of own.entries()) {
    if (pairs.own[n]) continue
    const m = listed.findIndex(
      (other, at) =>
        !pairs.listed[at] && (word.isInitial || other.isInitial) && word.text[0] === other.text[0],
    )
    if (m < 0) continue
    pairs.own[n] = pairs.listed[m] = true
    pairs.initials += 1
    add(pairs, INITIAL.weight, INITIAL.likeness)
  }
}
