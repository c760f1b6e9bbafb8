/**
 * Measures the similarity of two texts by Levenshtein or Jaro-Winkler distance, from 0 to 1. Does not use cmpstr 3.3.0,
 * which caches results under colliding hashes and therefore returns different scores for the same names.
 */

/** Returns 1 minus the number of edits per letter of the longer text. */
export function levenshtein(one: string, other: string): number {
  // One row of the table of distances between all beginnings of both texts. Each row replaces the previous one.
  const row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let taken = 1; taken <= one.length; taken += 1) {
    let across = row[0] ?? 0
    row[0] = taken
    for (let column = 1; column <= other.length; column += 1) {
      const above = row[column] ?? 0
      const change = one[taken - 1] === other[column - 1] ? 0 : 1
      row[column] = Math.min((row[column - 1] ?? 0) + 1, above + 1, across + change)
      across = above
    }
  }
  const longest = Math.max(one.length, other.length)
  return longest === 0 ? 1 : 1 - (row[other.length] ?? 0) / longest
}

const PREFIX = 4
const PREFIX_WEIGHT = 0.1

/** Returns the Jaro similarity of two short words. As Winkler proposed, a common beginning raises it. */
export function jaroWinkler(one: string, other: string): number {
  const jaro = jaroOf(one, other)
  let prefix = 0
  while (prefix < PREFIX && prefix < one.length && one[prefix] === other[prefix]) prefix += 1
  return jaro + prefix * PREFIX_WEIGHT * (1 - jaro)
}

function jaroOf(one: string, other: string): number {
  if (one === other) return 1
  const reach = Math.max(0, Math.floor(Math.max(one.length, other.length) / 2) - 1)
  const taken = new Set<number>()
  const shared: string[] = []
  for (let place = 0; place < one.length; place += 1) {
    const letter = one[place] ?? ''
    for (let at = Math.max(0, place - reach); at <= Math.min(other.length - 1, place + reach); at += 1) {
      if (taken.has(at) || other[at] !== letter) continue
      taken.add(at)
      shared.push(letter)
      break
    }
  }
  if (shared.length === 0) return 0
  const inOrder = [...taken].sort((a, b) => a - b).map((at) => other[at])
  const moved = shared.filter((letter, index) => letter !== inOrder[index]).length / 2
  const count = shared.length
  return (count / one.length + count / other.length + (count - moved) / count) / 3
}
