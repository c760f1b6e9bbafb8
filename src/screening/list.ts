/**
 * Keeps a list in memory and compares subjects with it. Reads the list from the files of a folder, and reads it again
 * after each change.
 */
import { createHash } from 'node:crypto'
import type { ListEntry, Match, Subject } from '../domain/screening/screening.ts'
import { readFolderStamp, readList } from './list-file.ts'
import { createListIndex, type ListIndex } from './list-index.ts'
import { SCORING, scoreOf, scoreParts } from './score.ts'
import { bestOf, type ListChanges } from './screener.ts'

interface LoadedList {
  readonly stamp: string
  readonly version: string
  readonly index: ListIndex
  readonly entries: readonly ListEntry[]
}

/** The entries of a list that an earlier version did not contain. */
interface Changed {
  readonly from: string
  readonly to: string
  readonly index: ListIndex
}

const FINGERPRINT_BYTES = 16

/** Hashes the values of an entry in a fixed order, because the order can differ between releases of a list. */
function fingerprintOf(entry: ListEntry): Buffer {
  const ordered = Object.entries(entry).map(([name, value]) => [
    name,
    Array.isArray(value) ? [...value].sort() : value,
  ])
  return createHash('sha256').update(JSON.stringify(ordered)).digest().subarray(0, FINGERPRINT_BYTES)
}

function textsOf(fingerprints: Uint8Array): Set<string> {
  const bytes = Buffer.from(fingerprints)
  const count = bytes.length / FINGERPRINT_BYTES
  return new Set(
    Array.from({ length: count }, (_, n) =>
      bytes.toString('latin1', n * FINGERPRINT_BYTES, (n + 1) * FINGERPRINT_BYTES),
    ),
  )
}

type NewQuery = Parameters<ListChanges['matchNew']>[0]
type Earlier = NewQuery['earlier']

export interface ListSettings {
  readonly folder: string
  readonly threshold: number
}

export function createList({ folder, threshold }: ListSettings) {
  let loaded: LoadedList | null = null
  let loading: Promise<LoadedList> | null = null
  let changed: Changed | null = null

  async function load(stamp: string): Promise<LoadedList> {
    const index = createListIndex()
    const entries: ListEntry[] = []
    const checksum = await readList(folder, (entry) => {
      index.add(entry)
      entries.push(entry)
    })
    return { stamp, version: `${SCORING}:${threshold}:${checksum}`, index, entries }
  }

  /** Returns the current list. Calls that arrive while it is loading share the load. */
  async function list(): Promise<LoadedList> {
    const stamp = await readFolderStamp(folder)
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

  function changesSince({ version: from, fingerprints }: Earlier, { version: to, entries }: LoadedList) {
    if (changed?.from === from && changed.to === to) return changed
    const known = textsOf(fingerprints)
    const index = createListIndex()
    for (const entry of entries) if (!known.has(fingerprintOf(entry).toString('latin1'))) index.add(entry)
    changed = { from, to, index }
    return changed
  }

  return {
    version: async (): Promise<string> => (await list()).version,
    match: async (subject: Subject): Promise<Match[]> => matchesOf((await list()).index, subject),
    async current(): Promise<Earlier> {
      const { version, entries } = await list()
      return { version, fingerprints: Buffer.concat(entries.map(fingerprintOf)) }
    },
    async matchNew({ earlier, current, subjects }: NewQuery): Promise<boolean[] | null> {
      const now = await list()
      if (now.version !== current || !earlier.version.startsWith(`${SCORING}:${threshold}:`)) return null
      const { index } = changesSince(earlier, now)
      return subjects.map((subject) => matchesOf(index, subject).length > 0)
    },
  }
}
