/** Defines the interface to the service or thread that has the lists. */
import type { Match, Subject } from '../domain/screening/screening.ts'

export interface Screener {
  /** Changes whenever the same names may get other hits. Null if screening is off. Throws without lists. */
  version(): Promise<string | null>
  /** Returns the matches above the threshold, best first, keyed by subject. Throws without lists. */
  match(subjects: readonly Subject[]): Promise<ReadonlyMap<string, readonly Match[]>>
  /** Compares subjects with changed entries. Undefined if another service has the list. */
  readonly changes?: ListChanges
}

interface KnownList {
  readonly version: string
  readonly fingerprints: Uint8Array
}

/** Compares subjects with the entries of a list that an earlier version did not contain. */
export interface ListChanges {
  current(): Promise<KnownList>
  /** Returns null if the scores of both versions are not comparable, or the list is no longer `current`. */
  matchNew(query: {
    readonly earlier: KnownList
    readonly current: string
    readonly subjects: readonly Subject[]
  }): Promise<readonly boolean[] | null>
}

/** The screener that is used if screening is off. All entities pass, and earlier hits remain. */
export const OFF: Screener = {
  version: async () => null,
  match: async () => new Map(),
}

/** Exceeds the maximum number of open hits, so that decided matches do not hide other matches. */
export const MAX_MATCHES = 100

/** An entry that is in several lists counts once, with its best match. */
export function bestOf(matches: readonly Match[]): Match[] {
  const byEntry = new Map<string, Match>()
  for (const match of [...matches].sort((a, b) => b.score - a.score))
    if (!byEntry.has(match.entry.id)) byEntry.set(match.entry.id, match)
  return [...byEntry.values()].slice(0, MAX_MATCHES)
}
