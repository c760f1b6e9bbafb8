/** The port to whoever knows the lists. */
import type { Match, Subject } from '../domain/screening/screening.ts'

export interface Screener {
  /** Another one as soon as the same names may give other hits; null: nobody is screened. Throws while it cannot. */
  version(): Promise<string | null>
  /** By each subject's key, the best match first, those below the threshold left out. Throws while it cannot. */
  match(subjects: readonly Subject[]): Promise<ReadonlyMap<string, readonly Match[]>>
  /** Missing if the list is held elsewhere. */
  readonly changes?: ListChanges
}

interface KnownList {
  readonly version: string
  readonly fingerprints: Uint8Array
}

/** Compares subjects with the entries of a list that an earlier version did not have. */
export interface ListChanges {
  current(): Promise<KnownList>
  /**
   * Returns for each subject whether it has a match among the entries that are not in `earlier`. Null: the scores of both
   * versions are not comparable, or the list is no longer `current`.
   */
  matchNew(query: {
    readonly earlier: KnownList
    readonly current: string
    readonly subjects: readonly Subject[]
  }): Promise<readonly boolean[] | null>
}

/** Nobody is screened: everybody passes, and what was found before stays. */
export const OFF: Screener = {
  version: async () => null,
  match: async () => new Map(),
}

/** More than an operator decides at once, so that those that are decided do not hide the others. */
export const MAX_MATCHES = 100

/** The best first, so many of them; of an entry that several lists have, the best alone. */
export function bestOf(matches: readonly Match[]): Match[] {
  const byEntry = new Map<string, Match>()
  for (const match of [...matches].sort((a, b) => b.score - a.score))
    if (!byEntry.has(match.entry.id)) byEntry.set(match.entry.id, match)
  return [...byEntry.values()].slice(0, MAX_MATCHES)
}
