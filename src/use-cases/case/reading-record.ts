/** Use cases for recording which operators read which cases, and for limiting how many cases an operator reads. */
import { caseReadKey, countNamesRead, isAudited, recordAuditOnce } from '../../db/audit/audit.ts'
import { appendTimeline } from '../../db/cases/timeline.ts'
import { transaction } from '../../db/connection/database.ts'
import type { By } from '../../domain/access/audit.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import type { Deps } from '../base/deps.ts'

/**
 * Records that an operator reads a case, once per hour, in the timeline and the audit trail. Call it before you return
 * any data. Throws RateReached, and records nothing, if the operator has read too many cases in this hour.
 */
export async function recordCaseRead(
  { db, spend }: Pick<Deps, 'db' | 'spend'>,
  by: By,
  { entity, id, vaultId }: EntityRef,
): Promise<void> {
  const key = caseReadKey(by, id)
  if (await isAudited(db, key)) return
  // Counts before it records. Otherwise, a refused read would be recorded, and its repetition would be allowed.
  await spend('case_reads', by.actor)
  const done = { action: 'case_read', subject: entity, subjectId: id, vaultId } as const
  await transaction(db, async (tx) => {
    if (!(await recordAuditOnce(tx, by, done, key))) return
    await appendTimeline(tx, {
      vaultId,
      entity,
      entityId: id,
      action: 'case_read',
      actor: by.actor,
      causeId: key,
    })
  })
}

/** Counts the cases whose names a list or search shows to an operator. */
export const recordNamesRead = (
  { db }: Pick<Deps, 'db'>,
  by: By,
  shown: readonly { readonly vaultId: string }[],
): Promise<void> =>
  countNamesRead(
    db,
    by,
    shown.map(({ vaultId }) => vaultId),
  )
