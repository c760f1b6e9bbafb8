/** The words of names in the form in which they are compared. */
import { COMPANY_WORDS, NAMES, NICKNAMES, weightOfCompanyWord, weightOfName } from './name-data.ts'
import { firmOf, likenessOfSounds, type Sounds, skeletonOf, soundsOf } from './spelling.ts'

export interface Word extends Sounds {
  readonly text: string
  /** The sounds without a particle that can be a part of the word, or null if there is none. */
  readonly bare: Sounds | null
  readonly skeleton: string
  /** How much the word says about who has the name, from 0 to 1. */
  readonly weight: number
  /** The spellings and nicknames that can be the same word. */
  readonly groups: readonly number[]
  readonly nicknames: readonly number[]
  /** False if only its consonants are known, because Arabic and Hebrew write few vowels. */
  readonly hasVowels: boolean
  readonly isInitial: boolean
  /** Whether it is a common word of companies. */
  readonly isGeneric: boolean
}

export type Kind = 'company' | 'person'

/** The maximum size of each cache. Common words occur in thousands of names. */
const MAX_WORDS = 100_000
const caches = { company: new Map<string, Word>(), person: new Map<string, Word>() }

/** How many letters of a word are compared. No real word is longer. */
const MAX_LETTERS = 100

export function wordOf(text: string, kind: Kind): Word {
  const cache = caches[kind]
  const slice = text.slice(0, MAX_LETTERS)
  const known = cache.get(slice)
  if (known) return known
  // Copies the letters, because a slice would keep the whole name in memory.
  const word = newWord(Buffer.from(slice).toString(), kind)
  if (cache.size >= MAX_WORDS) cache.clear()
  cache.set(word.text, word)
  return word
}

const NONE: readonly number[] = []

function newWord(text: string, kind: Kind): Word {
  const sounds = soundsOf(text)
  const bare = sounds.replace(ATTACHED_PARTICLES, '')
  const isPerson = kind === 'person'
  return {
    text,
    sounds,
    firm: firmOf(sounds),
    bare: bare === sounds ? null : { sounds: bare, firm: firmOf(bare) },
    skeleton: skeletonOf(sounds),
    weight: isPerson ? weightOfName(sounds) : weightOfCompanyWord(text),
    groups: (isPerson ? NAMES.get(sounds) : COMPANY_WORDS.get(text)) ?? NONE,
    nicknames: (isPerson ? NICKNAMES.get(sounds) : undefined) ?? NONE,
    hasVowels: /[aeou]/.test(sounds),
    isInitial: isPerson && text.length === 1,
    isGeneric: !isPerson && COMPANY_WORDS.has(text),
  }
}

/** Particles that are written as a part of the next word. */
const ATTACHED_PARTICLES = /^(?:al|el|ul|bin|ben)(?=[^aeiou].{3}|.{4})/

const SPELT = 0.95
const NICKNAME = 0.9
const ATTACHED = 0.95

/** Returns how similar two words are, from 0 to 1. */
export function likenessOfWords(one: Word, other: Word): number {
  if (one === other || one.text === other.text) return 1
  if (shareGroup(one.groups, other.groups) || isShort(one, other) || isShort(other, one)) return SPELT
  const likeness = likenessOfSounds(one, other)
  if (likeness > 0) return likeness
  if (shareGroup(one.nicknames, other.nicknames)) return NICKNAME
  if (one.hasVowels !== other.hasVowels)
    return skeletonsOf(one).some((each) => skeletonsOf(other).includes(each)) ? SPELT : 0
  return one.bare || other.bare ? ATTACHED * likenessOfSounds(one.bare ?? one, other.bare ?? other) : 0
}

const shareGroup = (one: readonly number[], other: readonly number[]): boolean =>
  one.length > 0 && other.length > 0 && one.some((group) => other.includes(group))

/** Returns whether a word abbreviates a common word of companies. */
const isShort = ({ text: short }: Word, { text, isGeneric }: Word): boolean =>
  isGeneric &&
  short.length > 2 &&
  short.length < text.length - 1 &&
  short[0] === text[0] &&
  isWithin(short, text)

/** Returns whether all letters of the short text occur in the other text in this order. */
function isWithin(short: string, text: string): boolean {
  let at = 0
  for (const letter of text) if (letter === short[at]) at += 1
  return at === short.length
}

/** Returns the consonants without a first vowel or, in scripts without vowels, without an article. */
const skeletonsOf = ({ skeleton, hasVowels }: Word): string[] =>
  [skeleton, skeleton.replace(hasVowels ? /^a/ : /^l(?=..)/, '')].filter((each) => each.length > 1)

const ENDS = 4

/** Returns the keys of the words that may be similar to this one. A misspelt word usually keeps at least one of them. */
export function keysOf(word: Word): string[] {
  const { skeleton, groups, nicknames, hasVowels } = word
  const { sounds } = word.bare ?? word
  return [
    `<${sounds.slice(0, ENDS)}`,
    `>${sounds.slice(-ENDS)}`,
    `~${word.bare ? skeletonOf(sounds) : skeleton}`,
    ...(sounds[0] === 'j' ? [`~s${skeleton}`] : []),
    ...(/ch/.test(word.text) ? [`~${skeletonOf(sounds.replaceAll('S', 'k'))}`] : []),
    ...(hasVowels ? [] : skeletonsOf(word).flatMap((each) => [`~${each}`, `~a${each}`])),
    ...groups.map((group) => `=${group}`),
    ...nicknames.map((group) => `?${group}`),
  ]
}
