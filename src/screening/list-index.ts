/** Finds the entries of a list that have similar names, without comparing all entries. */
import type { ListEntry, Subject } from '../domain/screening/screening.ts'
import { type Form, formsOf, formsOfSubject, likenessOf } from './names.ts'
import { MAX_SUPPORT, normalisedNumber } from './score.ts'
import { keysOf, type Word } from './word.ts'

/** Returns the words by which a name is found: not initials and, if there are others, not common words of companies. */
const COMMON = 0.3

function keyWordsOf({ words }: Form, kind: 'company' | 'person'): Word[] {
  const all = [...new Set(words)].filter(({ isInitial }) => !isInitial)
  const distinctive = kind === 'company' ? all.filter(({ weight }) => weight > COMMON) : all
  return distinctive.length > 0 ? distinctive : all
}

/**
 * Returns the sorted letters of a name. They do not depend on spaces or the order of the words, and few other names
 * have the same letters.
 */
const lettersOf = ({ whole: [text = ''] }: Form): string => Buffer.from(text).sort().toString('latin1').trim()

export interface ListIndex {
  add(entry: ListEntry): void
  /** Returns the entries whose score may reach `least`. */
  candidates(subject: Subject, least: number): readonly ListEntry[]
}

export function createListIndex(): ListIndex {
  const entries: ListEntry[] = []
  /** The forms of all names with their entries. The values of `byKey` are positions in this list. */
  const forms: { readonly form: Form; readonly entry: number }[] = []
  /** How many words of each form must be shared: two, or one if it has only one. */
  const needed: number[] = []
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
  function sharing(words: readonly Word[]): number[] {
    if (foundBy.length < forms.length) {
      foundBy = new Uint32Array(forms.length)
      foundTimes = new Uint8Array(forms.length)
      wordsSoFar = 0
    }
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
          if (times === Math.min(words.length, needed[id] ?? 0)) found.push(id)
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
      const known = new Set<string>()
      for (const kind of kinds)
        for (const form of names.flatMap((name) => formsOf(name, kind))) {
          const text = `${kind} ${form.whole[0]}`
          if (known.has(text)) continue
          known.add(text)
          const words = keyWordsOf(form, kind)
          const id = forms.push({ form, entry: index }) - 1
          needed.push(Math.min(2, words.length))
          for (const key of new Set(words.flatMap(keysOf))) push(byKey, key, id)
          push(byLetters, lettersOf(form), index)
        }
      for (const number of entry.registrationNumbers) push(byNumber, normalisedNumber(number), index)
    },
    candidates(subject, least) {
      const { kind } = subject
      const found = new Set(byNumber.get(normalisedNumber(subject.registrationNumber ?? '')) ?? [])
      for (const { form: own } of formsOfSubject(subject)) {
        for (const index of byLetters.get(lettersOf(own)) ?? []) found.add(index)
        for (const id of sharing(keyWordsOf(own, kind))) {
          const listed = forms[id]
          if (!listed || found.has(listed.entry)) continue
          if ((likenessOf(own, listed.form, kind)?.score ?? 0) >= least - MAX_SUPPORT) found.add(listed.entry)
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
