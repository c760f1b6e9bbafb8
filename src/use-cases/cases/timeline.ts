/** Timelines, as operators read them, and the notes that they write there. */
import { renewAssignment } from '../../db/cases/assignment.ts'
import { getStateForUpdate } from '../../db/cases/identification.ts'
import { findIdentificationOfKyb } from '../../db/cases/kyb-application.ts'
import {
  appendTimeline,
  findEntry,
  readTimeline as readEntries,
  readNewestEntries,
} from '../../db/cases/timeline.ts'
import { transaction } from '../../db/connection/database.ts'
import type { TimelineEntry } from '../../domain/decision/timeline.ts'
import type { EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { Deps } from '../deps.ts'
import type { Commit } from '../effect.ts'

/** Oldest first; what is too long to be held at once follows in `rest`. Throws `not_found`. */
export async function readTimeline(
  { db }: Pick<Deps, 'db'>,
  { entity, id }: Pick<EntityRef, 'entity' | 'id'>,
): Promise<Awaited<ReturnType<typeof readEntries>>> {
  const read = await readEntries(db, entity, id)
  // The first entry is written with the entity itself.
  if (read.entries.length === 0) throw new RequestRefused({ code: 'not_found' })
  return read
}

/** The newest entries, oldest of them first. */
export const readRecentTimeline = (
  { db }: Pick<Deps, 'db'>,
  { entity, id }: Pick<EntityRef, 'entity' | 'id'>,
  limit: number,
): Promise<readonly TimelineEntry[]> => readNewestEntries(db, entity, id, limit)

/** The same effect writes one note. Throws `identification_erased`: an erasure would not come back for the note. */
export const addNote = (
  target: EntityRef,
  { actor }: { readonly actor: string },
  text: string,
  { id: causeId, commit }: Commit<TimelineEntry>,
): Promise<TimelineEntry> =>
  commit((outer) =>
    transaction(outer, async (tx) => {
      const { entity, id: entityId, vaultId } = target
      const identificationId = entity === 'kyb' ? await findIdentificationOfKyb(tx, entityId) : entityId
      const { erasedAt } = await getStateForUpdate(tx, identificationId ?? '')
      if (erasedAt) throw new RequestRefused({ code: 'identification_erased' })
      const note = { vaultId, entity, entityId, action: 'note', actor, internalNote: text, causeId }
      await appendTimeline(tx, note)
      await renewAssignment(tx, target, actor)
      const written = await findEntry(tx, entityId, causeId)
      if (!written) throw new Error('the new note was not found')
      return written
    }),
  )
