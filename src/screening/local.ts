/** Screens by the lists of a folder, which are kept in memory and read again when a file of them changes. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Match, Subject } from '../domain/screening/screening.ts'
import { readList, stampOf } from './list-file.ts'
import { createListIndex, type ListIndex } from './list-index.ts'
import { SCORING, scoreOf, scoreParts } from './score.ts'
import { bestOf, type Screener } from './screener.ts'

interface LoadedList {
  readonly stamp: string
  readonly checksum: string
  readonly index: ListIndex
}

interface LocalSettings {
  readonly folder: string
  readonly threshold: number
}

export function createLocalScreener({ folder, threshold }: LocalSettings): Screener {
  let loaded: LoadedList | null = null
  let loading: Promise<LoadedList> | null = null

  async function load(stamp: string): Promise<LoadedList> {
    const index = createListIndex()
    const checksum = await readList(folder, index.add)
    return { stamp, checksum, index }
  }

  /** Whoever asks while it is read waits for the same reading. */
  async function list(): Promise<LoadedList> {
    const stamp = await stampOf(folder)
    if (loaded?.stamp === stamp) return loaded
    loading ??= load(stamp).finally(() => {
      loading = null
    })
    loaded = await loading
    return loaded
  }

  const matchesOf = (index: ListIndex, subject: Subject): Match[] =>
    bestOf(
      index
        .candidates(subject, threshold)
        .map((entry) => {
          const parts = scoreParts(subject, entry)
          return { entry, parts, score: scoreOf(parts) }
        })
        .filter(({ score }) => score >= threshold),
    )

  return {
    version: async () => `${SCORING}:${threshold}:${(await list()).checksum}`,
    async match(subjects) {
      const { index } = await list()
      const matches = new Map<string, readonly Match[]>()
      for (const subject of subjects) {
        matches.set(subject.key, matchesOf(index, subject))
        // A hundred beneficiaries take a while: others have their turn in between.
        await nextTurn()
      }
      return matches
    },
  }
}
