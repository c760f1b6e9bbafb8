/** What operators say of a hit: whether it is the same company or person. */
import { lockAssignment, renewAssignment } from '../db/assignment.ts'
import { type Database, transaction } from '../db/database.ts'
import { decideHit, entityOfHit, type Hit, listHits } from '../db/screening.ts'
import { appendTimeline } from '../db/timeline.ts'
import { RequestRefused } from '../domain/errors.ts'
import type { HitDecision } from '../domain/screening.ts'
import type { Asking } from './command.ts'

interface Said {
  readonly outcome: HitDecision
  readonly comment?: string | undefined
}

/** Throws RequestRefused when there is no such hit, or none any more. */
export const decideAboutHit = (
  db: Database,
  { actor, effect }: Asking,
  id: string,
  { outcome, comment }: Said,
): Promise<Hit> =>
  transaction(db, async (tx) => {
    const target = await entityOfHit(tx, id)
    // No screening and no command comes between.
    if (target) await lockAssignment(tx, target)
    const isDecided = target && (await decideHit(tx, target, id, { status: outcome, actor, comment }))
    if (!isDecided) throw new RequestRefused({ code: 'not_found' })
    await appendTimeline(tx, {
      vaultId: target.vaultId,
      entity: target.entity,
      entityId: target.id,
      action: `screening_hit_${outcome}`,
      actor,
      internalNote: comment,
      causeId: effect.id,
    })
    await renewAssignment(tx, target, actor)
    const decided = (await listHits(tx, target.id)).find((hit) => hit.id === id)
    if (!decided) throw new Error('a hit that was just decided is not there')
    return decided
  })
