/** What operators write down for each other. */
import { renewAssignment } from '../../db/cases/assignment.ts'
import { getStateForUpdate } from '../../db/cases/identification.ts'
import { identificationOfKyb } from '../../db/cases/kyb-application.ts'
import { appendTimeline, findEntry, type ReadEntry } from '../../db/cases/timeline.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import type { EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'

interface Note {
  /** The same note is written once. */
  readonly id: string
  readonly actor: string
  readonly text: string
}

/** Throws RequestRefused after the erasure, which would not come back for it. */
export const addNote = (db: Database, target: EntityRef, { id, actor, text }: Note): Promise<ReadEntry> =>
  transaction(db, async (tx) => {
    const { entity, id: entityId, vaultId } = target
    const identificationId = entity === 'kyb' ? await identificationOfKyb(tx, entityId) : entityId
    const { erasedAt } = await getStateForUpdate(tx, identificationId ?? '')
    if (erasedAt) throw new RequestRefused({ code: 'identification_erased' })
    await appendTimeline(tx, {
      vaultId,
      entity,
      entityId,
      action: 'note',
      actor,
      internalNote: text,
      causeId: id,
    })
    await renewAssignment(tx, target, actor)
    const written = await findEntry(tx, entityId, id)
    if (!written) throw new Error('a note that was just written is not there')
    return written
  })
