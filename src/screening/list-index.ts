/** Finds the entries of a list that have similar names, without comparing all entries. */
import type { ListEntry, Subject } from '../domain/screening/screening.ts'
import { cannotReachScore, formsOf, likenessOf, soundOf } from './names.ts'
import { normalisedNumber } from './score.ts'

const ENDS = 4

/**
 * Returns keys for the beginning, the end and the sound of a word. A misspelt word usually keeps at least one of them.
 */
const keysOf = (word: string): string[] => [
  `<${word.slice(0, ENDS)}`,
  `>${word.slice(-ENDS)}`,
  `~${soundOf(word)}`,
]

/**
 * Returns the sorted letters of a name. They do not depend on spaces or the order of the words, and few other names
 * have the same letters.
 */
const lettersOf = (form: string): string => Buffer.from(form).sort().toString('latin1').trim()

export interface ListIndex {
  add(entry: ListEntry): void
  /** Returns the entries whose score may reach `least`. */
  candidates(subject: Subject, least: number): readonly ListEntry[]
}

export function createListIndex(): ListIndex {
  const entries: ListEntry[] = []
  /** The forms of all names with their entries. The values of `byKey` are positions in this list. */
  const forms: { readonly text: string; readonly words: number; readonly entry: number }[] = []
  const byKey = new Map<string, number[]>()
  /**
   * The entries, keyed by the letters of each name. Only the score shows whether names with the same letters are the
   * same name.
   */
  const byLetters = new Map<string, number[]>()
  const byNumber = new Map<string, number[]>()
  /**
   * For each form, the number of the last word that found it, and how many words found it. The numbering continues in
   * the next search, so that the arrays need no reset.
   */
  let foundBy = new Uint32Array()
  let foundTimes = new Uint8Array()
  let wordsSoFar = 0

  /** Returns the forms that share two words with this one. One word is enough if either form has only one word. */
  function sharing(form: string): number[] {
    if (foundBy.length < forms.length) {
      foundBy = new Uint32Array(forms.length)
      foundTimes = new Uint8Array(forms.length)
      wordsSoFar = 0
    }
    const words = [...new Set(form.split(' '))].slice(0, 100)
    const before = wordsSoFar
    const found: number[] = []
    for (const word of words) {
      wordsSoFar += 1
      for (const key of keysOf(word)) {
        for (const id of byKey.get(key) ?? []) {
          const last = foundBy[id] ?? 0
          if (last === wordsSoFar) continue
          const times = last > before ? (foundTimes[id] ?? 0) + 1 : 1
          foundBy[id] = wordsSoFar
          foundTimes[id] = times
          if (times === Math.min(2, words.length, forms[id]?.words ?? 0)) found.push(id)
        }
      }
    }
    return found
  }

  return {
    add(entry) {
      const index = entries.push(entry) - 1
      const kinds = entry.kind === 'either' ? (['company', 'person'] as const) : [entry.kind]
      const names = [...entry.names, ...entry.weakNames]
      const texts = kinds.flatMap((kind) =>
        names.flatMap((name) => formsOf(name, kind).map(({ text }) => text)),
      )
      for (const text of new Set(texts)) {
        const words = text.split(' ')
        const id = forms.push({ text, words: words.length, entry: index }) - 1
        for (const key of new Set(words.flatMap(keysOf))) push(byKey, key, id)
        push(byLetters, lettersOf(text), index)
      }
      for (const number of entry.registrationNumbers) push(byNumber, normalisedNumber(number), index)
    },
    candidates(subject, least) {
      const { kind } = subject
      const found = new Set(byNumber.get(normalisedNumber(subject.registrationNumber ?? '')) ?? [])
      for (const { text } of subject.names.flatMap((name) => formsOf(name, kind))) {
        for (const index of byLetters.get(lettersOf(text)) ?? []) found.add(index)
        const own = { text, words: text.split(' ').length }
        for (const id of sharing(text)) {
          const form = forms[id]
          if (!form || found.has(form.entry) || cannotReachScore(own, form, least)) continue
          if (likenessOf(text, form.text, kind)) found.add(form.entry)
        }
      }
      return [...found]
        .flatMap((index) => entries[index] ?? [])
        .filter((entry) => entry.kind === 'either' || entry.kind === kind)
    },
  }
}

function push(map: Map<string, number[]>, key: string, value: number): void {
  const there = map.get(key)
  if (there) there.push(value)
  else map.set(key, [value])
}
