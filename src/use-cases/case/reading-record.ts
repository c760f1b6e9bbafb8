/** Use cases for recording what operators read, and for limiting how many cases an operator reads. */
import { countAudit, hourlyKey, isAudited, recordAuditOnce } from '../../db/audit/audit.ts'
import { appendTimeline } from '../../db/commands/timeline.ts'
import { transaction } from '../../db/connection/database.ts'
import { aboutVault, type By } from '../../domain/access/audit.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import type { Deps, WithDb } from '../base/deps.ts'

/**
 * Records that an operator reads a case, once per hour, in the timeline and the audit trail. Call it before you return
 * any data. Throws RateReached, and records nothing, if the operator has read too many cases in this hour.
 */
export async function recordCaseRead({ db, spend }: Pick<Deps, 'db' | 'spend'>, by: By, target: EntityRef) {
  const { entity, id, vaultId } = target
  const done = { action: 'case_read', subject: entity, subjectId: id, vaultId } as const
  const causeId = hourlyKey(by, done)
  if (await isAudited(db, causeId)) return
  // Counts before it records. Otherwise, a refused read would be recorded, and its repetition would be allowed.
  await spend('case_reads', by.actor)
  await transaction(db, async (tx) => {
    if (await recordAuditOnce(tx, by, done))
      await appendTimeline(tx, target, { action: 'case_read', actor: by.actor, causeId })
  })
}

/** Counts the cases whose names a list or search shows to an operator. */
export const recordNamesRead = ({ db }: WithDb, by: By, shown: readonly { readonly vaultId: string }[]) =>
  countAudit(
    db,
    by,
    ...shown.map(({ vaultId }) => ({ action: 'case_names_read', ...aboutVault(vaultId) }) as const),
  )
