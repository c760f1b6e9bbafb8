/** Use cases for reading timelines and adding notes to them. */

import {
  appendTimeline,
  findEntry,
  readTimeline as readEntries,
  readNewestEntries,
} from '../../db/commands/timeline.ts'
import { renewAssignment } from '../../db/lists/assignment.ts'
import type { By } from '../../domain/access/audit.ts'
import type { Granted } from '../../domain/access/grant.ts'
import type { Refusals } from '../../domain/base/errors.ts'
import type { TimelineEntry } from '../../domain/decision/timeline.ts'
import type { EntityKey, EntityRef } from '../../domain/entity/entity.ts'
import { MAX_EXPORTED_ENTRIES, recordExport } from '../access/audit.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { type Commit, commitTogether } from '../base/effect.ts'
import { findTarget, refuseErased } from './entity-ref.ts'
import { recordCaseRead } from './reading-record.ts'

/** Returns the entries, oldest first. Entries beyond the memory limit follow in `rest`. Throws `not_found`. */
export async function readTimeline(
  deps: Pick<Deps, 'db' | 'spend'>,
  operator: Granted,
  by: By,
  { entity, id }: EntityKey,
): Promise<Awaited<ReturnType<typeof readEntries>>> {
  const { db } = deps
  const target = await findTarget({ db }, operator, 'read_cases', entity, id)
  // Reads first, so that the timeline does not end with its own reading.
  const read = await readEntries(db, entity, target.id)
  await recordCaseRead(deps, by, target)
  return read
}

/** Returns the newest entries for a file, oldest first. */
export async function exportTimeline(
  deps: Pick<Deps, 'db' | 'spend'>,
  by: By,
  target: EntityRef,
): Promise<readonly TimelineEntry[]> {
  // Reads first, so that the file does not end with its own reading.
  const entries = await readRecentTimeline(deps, target, MAX_EXPORTED_ENTRIES)
  await recordCaseRead(deps, by, target)
  await recordExport(deps, by, 'timeline', { scope: [target.vaultId] })
  return entries
}

/** Returns the newest entries, oldest first. */
export const readRecentTimeline = (
  { db }: WithDb,
  { entity, id }: EntityKey,
  limit: number,
): Promise<readonly TimelineEntry[]> => readNewestEntries(db, entity, id, limit)

/** Adds a note. Repeating the effect adds nothing. Throws `identification_erased`. */
export const addNote = (
  target: EntityRef,
  { actor }: { readonly actor: string },
  text: string,
  effect: Commit<TimelineEntry>,
): Promise<TimelineEntry> =>
  commitTogether(effect, async (tx) => {
    await refuseErased(tx, target)
    const note = { action: 'note', actor, internalNote: text, causeId: effect.id }
    await appendTimeline(tx, target, note)
    await renewAssignment(tx, target, actor)
    const written = await findEntry(tx, target.id, effect.id)
    if (!written) throw new Error('the new note was not found')
    return written
  })

addNote.refuses = ['identification_erased'] as const satisfies Refusals
