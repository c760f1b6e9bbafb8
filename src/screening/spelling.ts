/** Compares single words of names by how they are pronounced, because transcriptions spell the same sounds differently. */

/** How many letters of a word are processed. No real word is longer. */
const MAX_LETTERS = 40

/** The spellings of each sound in the languages that transcribe names. "S" stands for sh, ch, zh and tsch. */
const SPELLINGS: Readonly<Record<string, string>> = {
  j: 'dsch dzh dsh dz dj',
  S: 'stch shch tsch sch tch sh ch zh cz',
  k: 'kh ck c q',
  g: 'gh',
  t: 'th',
  d: 'dh',
  b: 'bh',
  r: 'rh',
  f: 'ph',
  v: 'w',
  ks: 'x',
  s: 'ts tz',
  u: 'ou oo',
  i: 'ee y',
  o: 'eo',
}
const soundOfSpelling = new Map(
  Object.entries(SPELLINGS).flatMap(([sound, all]) => all.split(' ').map((each) => [each, sound] as const)),
)
const longestFirst = [...soundOfSpelling.keys()].toSorted((one, other) => other.length - one.length)
/** A "c" or "gu" sounds like "s" or "g" before these letters. "eu" and "ie" have one vowel. */
const SPELLING = new RegExp(`c(?=[eiy])|gu(?=[eiy])|eu|ie(?=[^aeiouy]*$)|${longestFirst.join('|')}`, 'g')
const IN_CONTEXT: Readonly<Record<string, string>> = { c: 's', gu: 'g', eu: 'u', ie: 'i' }

/** Returns the word with one letter for each sound. */
export function soundsOf(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word
  const slice = word.slice(0, MAX_LETTERS)
  return slice
    .replace(SPELLING, (spelling, at: number) =>
      spelling === 'c' && !/[eiy]/.test(slice[at + 1] ?? '')
        ? 'k'
        : (IN_CONTEXT[spelling] ?? soundOfSpelling.get(spelling) ?? spelling),
    )
    .replace(/i?j$|ii$/, 'i')
    .replace(/(?<=[aeiou])h$/, '')
    .replace(/(.)\1+/g, '$1')
}

/** The letters that stand for each consonant without voice. Vowels have no entry. */
const CONSONANTS = new Map(
  'pb td kg szS fv l m n r'
    .split(' ')
    .flatMap(([first = '', ...more]) => [first, ...more].map((each) => [each, first] as const)),
)

/** Returns the consonants without voice, after an "a" for a first vowel. Spellings of a name usually agree in them. */
export function skeletonOf(sounds: string): string {
  const start = /^[ij][aeiou]/.test(sounds) ? 1 : 0
  let skeleton = /[aeiouj]/.test(sounds[start] ?? '') ? 'a' : sounds[start] === 'h' ? 'h' : ''
  for (let at = start; at < sounds.length; at += 1) {
    const letter = sounds[at] ?? ''
    const consonant = CONSONANTS.get(letter) ?? (/[a-z]/.test(letter) ? '' : letter)
    if (consonant !== '' && !skeleton.endsWith(consonant)) skeleton += consonant
  }
  return skeleton
}

/** The least likeness of two words that can be the same. */
const LEAST = 0.845
const MIN_OMISSION = 0.3

/** The consonants whose omission or exchange costs 1, except within a class. */
const FIRM = new Map(
  'td mn bp l r'.split(' ').flatMap((all, n) => [...all].map((each) => [each, 1 << (n * 6)] as const)),
)

/** Returns how many consonants of each firm class a word has, with six bits for each class. */
export const firmOf = (sounds: string): number =>
  [...sounds].reduce((sum, letter) => sum + (FIRM.get(letter) ?? 0), 0)

/** Letters that transcriptions and mishearing exchange, with the cost of the exchange. Any other exchange costs 1. */
const EXCHANGES = `
  ei .3  ao .4  ou .3  ae .3  ai .5  au .5  eo .5  eu .5  io .5  iu .5
  bp .3  dt .3  gk .3  sz .3  fv .3   jS .3  Ss .4  Sz .4  Sk .5  sk .5  ij .3  jg .4  jh .5  hk .4  gh .4  mn .4  iv .7  uv .4
`
/** Letters that a transcription can omit, with the cost. Any other omission costs 1. */
const OMISSIONS: Readonly<Record<string, number>> = { a: 0.4, e: 0.4, i: 0.4, o: 0.4, u: 0.4, j: 0.4, h: 0.3 }

const ASCII = 128
const costs = new Float64Array(ASCII * ASCII).fill(1)
for (let code = 0; code < ASCII; code += 1) costs[code * ASCII + code] = 0
for (const [, one = '', other = '', cost = ''] of EXCHANGES.matchAll(/(\w)(\w) (\.\d)/g)) {
  const [left, right] = [one.charCodeAt(0), other.charCodeAt(0)]
  costs[left * ASCII + right] = costs[right * ASCII + left] = Number(cost)
}
const omissions = Float64Array.from({ length: ASCII }, (_, code) => OMISSIONS[String.fromCharCode(code)] ?? 1)
const omissionOf = (code: number): number => omissions[code] ?? 1

/** The costs of all beginnings of the second word, for one beginning of the first word. Each row replaces the previous one. */
const row = new Float64Array(MAX_LETTERS * 2 + 1)

/** A word by its sounds, with the counts that `firmOf` returns. */
export interface Sounds {
  readonly sounds: string
  readonly firm: number
}

/** Returns 1 for words that sound the same, and less for each letter that differs. Returns 0 if they are too different. */
export function likenessOfSounds({ sounds: one, firm }: Sounds, { sounds: other, firm: otherFirm }: Sounds) {
  const longest = Math.max(one.length, other.length)
  const allowed = longest * (1 - LEAST)
  if (Math.abs(one.length - other.length) * MIN_OMISSION > allowed || longest > MAX_LETTERS * 2) return 0
  if (firm !== otherFirm && costOfFirm(firm, otherFirm) > allowed) return 0
  if (one === other) return 1
  const likeness = 1 - costOf(one, other, allowed) / longest
  return likeness >= LEAST ? likeness : 0
}

/** Returns the cost of the cheapest exchanges and omissions. Stops if it exceeds the allowed cost. */
function costOf(one: string, other: string, allowed: number): number {
  let [start, end, otherEnd] = [0, one.length, other.length]
  while (start < end && start < otherEnd && one.charCodeAt(start) === other.charCodeAt(start)) start += 1
  while (end > start && otherEnd > start && one.charCodeAt(end - 1) === other.charCodeAt(otherEnd - 1)) {
    end -= 1
    otherEnd -= 1
  }
  row[start] = 0
  for (let at = start; at < otherEnd; at += 1) row[at + 1] = (row[at] ?? 0) + omissionOf(other.charCodeAt(at))
  for (let taken = start; taken < end; taken += 1) {
    const code = one.charCodeAt(taken)
    const omission = omissionOf(code)
    let across = row[start] ?? 0
    let before = across + omission
    row[start] = before
    let least = before
    for (let at = start; at < otherEnd; at += 1) {
      const otherCode = other.charCodeAt(at)
      const above = row[at + 1] ?? 0
      const exchanged = across + (costs[code * ASCII + otherCode] ?? 1)
      before = Math.min(before + omissionOf(otherCode), above + omission, exchanged)
      row[at + 1] = before
      if (before < least) least = before
      across = above
    }
    if (least > allowed) return least
  }
  return row[otherEnd] ?? 0
}

/** Returns the least cost of two words with these counts. An exchange changes two counts. */
function costOfFirm(one: number, other: number): number {
  let difference = 0
  for (let at = 0; at < 30; at += 6) difference += Math.abs(((one >> at) & 63) - ((other >> at) & 63))
  return Math.ceil(difference / 2)
}
