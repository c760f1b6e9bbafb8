/** A list in memory: read from the files of a folder, read again when they change, and compared with subjects. */
import type { Match, Subject } from '../domain/screening/screening.ts'
import { readList, stampOf } from './list-file.ts'
import { createListIndex, type ListIndex } from './list-index.ts'
import { SCORING, scoreOf, scoreParts } from './score.ts'
import { bestOf } from './screener.ts'

interface LoadedList {
  readonly stamp: string
  readonly checksum: string
  readonly index: ListIndex
}

export interface ListSettings {
  readonly folder: string
  readonly threshold: number
}

export function createList({ folder, threshold }: ListSettings) {
  let loaded: LoadedList | null = null
  let loading: Promise<LoadedList> | null = null

  async function load(stamp: string): Promise<LoadedList> {
    const index = createListIndex()
    const checksum = await readList(folder, index.add)
    return { stamp, checksum, index }
  }

  /** Calls during a load wait for the same one. */
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
    version: async (): Promise<string> => `${SCORING}:${threshold}:${(await list()).checksum}`,
    match: async (subject: Subject): Promise<Match[]> => matchesOf((await list()).index, subject),
  }
}
