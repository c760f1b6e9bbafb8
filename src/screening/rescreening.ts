/** Rescreens entities after a list has changed, by comparing their names only with the changed entries. */

import type { Database } from '../db/connection/database.ts'
import type { DueEntity } from '../db/screening/screening.ts'
import {
  carryOver,
  deleteOldScreeningLists,
  findScreeningList,
  readSubjectsOfAll,
  type ScreeningList,
  saveScreeningList,
} from '../db/screening/screening-list.ts'
import type { Screener } from './screener.ts'

export function createRescreening(db: Database, { changes }: Screener) {
  let remembered: string | null = null
  let earlier: ScreeningList | null = null

  async function listOf(version: string): Promise<ScreeningList | null> {
    if (earlier?.version !== version) earlier = await findScreeningList(db, version)
    return earlier
  }

  return {
    /** Stores the content of the list before this process marks any entity as screened with it. */
    async remember(version: string): Promise<void> {
      if (!changes || remembered === version) return
      await saveScreeningList(db, await changes.current())
      remembered = version
    },

    /** Deletes lists that are no longer needed. Called when no entity is due for screening. */
    async forget(version: string): Promise<void> {
      if (changes) await deleteOldScreeningLists(db, version)
    },

    /**
     * Marks entities as screened if no changed entry matches them and they have no hits. Returns the IDs of these
     * entities.
     */
    async carryOver(due: readonly DueEntity[], version: string): Promise<ReadonlySet<string>> {
      const done = new Set<string>()
      if (!changes) return done
      for (const screenedWith of new Set(due.map((each) => each.screenedWith))) {
        const known = screenedWith === null ? null : await listOf(screenedWith)
        if (!known) continue
        const entities = due.filter((each) => each.screenedWith === screenedWith)
        const subjects = await readSubjectsOfAll(db, entities)
        const asked = entities.flatMap(({ id }) =>
          (subjects.get(id) ?? []).map((subject) => ({ id, subject })),
        )
        const query = { earlier: known, current: version, subjects: asked.map(({ subject }) => subject) }
        const isMatched = await changes.matchNew(query)
        if (!isMatched) continue
        const matched = new Set(asked.flatMap(({ id }, n) => (isMatched[n] ? [id] : [])))
        const unmatched = entities.filter(({ id }) => !matched.has(id))
        for (const id of await carryOver(db, unmatched, version)) done.add(id)
      }
      return done
    },
  }
}
