/** Rules for when two names are the same name, written differently. */

import { MAX_LETTERS, normalised } from '../base/combining-marks.ts'
import { ALL_LETTERS, LETTERS, type Letters } from './letters.ts'

/** Marks that change no letter: accents, and vowel signs that Arabic and Hebrew omit. */
const MARKS = /[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u064b-\u065f\u0670]/gu

/** Titles, which identity documents and people add or omit. */
const TITLES =
  /(?<![\p{L}\p{M}\p{N}])(?:(?:dr|prof|mr|mrs|ms)(?![\p{L}\p{M}\p{N}'’-])|(?:dipl|ing|mag|mgr|med|rer|nat|phil|jur|h\. ?c)\.)/giu

/** Letters that have a common spelling, or each letter. */
const PARTS = new RegExp(`${[...ALL_LETTERS.keys()].filter(({ length }) => length > 1).join('|')}|.`, 'gsu')

/** Returns the spellings of each letter of a name. Spaces, punctuation, case and invisible characters do not count. */
function spellingsOf(name: string, letters: Letters = LETTERS): (readonly string[])[] {
  const short = normalised(name.slice(0, MAX_LETTERS)).slice(0, MAX_LETTERS)
  const lower = short.toLowerCase().normalize('NFC')
  return (lower.match(PARTS) ?? []).flatMap((letter) => {
    const known = letters.get(letter)
    if (known) return [known]
    const plain = letter.normalize('NFD').replace(MARKS, '')
    return [...plain].flatMap((each) => {
      const spellings = letters.get(each)
      if (spellings) return [spellings]
      return /[\p{L}\p{N}\p{M}]/u.test(each) ? [[each]] : []
    })
  })
}

/** Returns the name in the spelling of passports (ICAO 9303), without spaces and punctuation. */
export const spellName = (name: string): string =>
  spellingsOf(name)
    .map(([first = '']) => first)
    .join('')

/** Returns the names that a search for this name also finds: in the spelling of passports and with plain letters. */
export const spellNameInAllWays = (name: string): string[] => {
  const letters = spellingsOf(name)
  const plain = letters.map((spellings) =>
    spellings.length > 1 ? (spellings[1] ?? '') : (spellings[0] ?? ''),
  )
  return [...new Set([spellName(name), plain.join('')])]
}

/**
 * Returns whether both names can be one name: "Jörg" can be "Joerg" or "Jorg". Titles do not count. A name without
 * letters is the same as no other name.
 */
export function isSameName(one: string, other: string): boolean {
  const [left = [], right = []] = [one, other].map((name) =>
    spellingsOf(name.replace(TITLES, ' '), ALL_LETTERS),
  )
  return left.length > 0 && right.length > 0 && haveCommonSpelling(left, right)
}

type Spellings = readonly (readonly string[])[]

/** A comparison in progress. `ahead` holds the letters that one name has spelt and the other has not yet. */
interface State {
  readonly left: number
  readonly right: number
  readonly ahead: string
  readonly isLeftAhead: boolean
}

/** Exceeds the states of any two names. Letters that can be omitted would need one for each pair of positions. */
const MAX_STATES = 5_000

/** Returns whether the letters can be spelt so that both texts are equal. Visits each state of the comparison once. */
function haveCommonSpelling(left: Spellings, right: Spellings): boolean {
  const open: State[] = [{ left: 0, right: 0, ahead: '', isLeftAhead: false }]
  const seen = new Set<string>()
  for (let state = open.pop(); state && seen.size < MAX_STATES; state = open.pop()) {
    const key = `${state.left} ${state.right} ${state.isLeftAhead} ${state.ahead}`
    if (seen.has(key)) continue
    seen.add(key)
    const { ahead } = state
    if (ahead === '' && state.left === left.length && state.right === right.length) return true
    // Takes the next letter of the name that is behind, or of the left one if neither is behind.
    const goesLeft = ahead === '' ? state.left < left.length : !state.isLeftAhead
    for (const spelling of (goesLeft ? left[state.left] : right[state.right]) ?? []) {
      const isShort = ahead.startsWith(spelling)
      if (!isShort && !spelling.startsWith(ahead)) continue
      open.push({
        left: state.left + (goesLeft ? 1 : 0),
        right: state.right + (goesLeft ? 0 : 1),
        ahead: isShort ? ahead.slice(spelling.length) : spelling.slice(ahead.length),
        isLeftAhead: isShort ? state.isLeftAhead : goesLeft,
      })
    }
  }
  return false
}
