/** Defines the interface to the service or thread that has the lists. */
import type { Match, Subject } from '../domain/screening/screening.ts'

export interface Screener {
  /**
   * Returns a version that changes whenever the same names may get other hits. Returns null if screening is off. Throws
   * while the lists are unavailable.
   */
  version(): Promise<string | null>
  /**
   * Returns the matches above the threshold, keyed by subject, with the best match first. Throws while the lists are
   * unavailable.
   */
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
  /**
   * Returns for each subject whether it matches an entry that `earlier` does not contain. Returns null if the scores of
   * both versions are not comparable, or if the list is no longer at the version `current`.
   */
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

/**
 * Returns at most `MAX_MATCHES` matches, best first. An entry that is in several lists counts once, with its best
 * match.
 */
export function bestOf(matches: readonly Match[]): Match[] {
  const byEntry = new Map<string, Match>()
  for (const match of [...matches].sort((a, b) => b.score - a.score))
    if (!byEntry.has(match.entry.id)) byEntry.set(match.entry.id, match)
  return [...byEntry.values()].slice(0, MAX_MATCHES)
}
