/**
 * Decisions of operators about screening hits.
 *
 * They are no commands, since they must not need Temporal: a processed application has no workflow, and a new list may
 * still find hits on it. The lock on the entity's row keeps screenings and commands out.
 */
import { findVault } from '../../db/access/vault.ts'
import { getAssignmentForUpdate, renewAssignment } from '../../db/cases/assignment.ts'
import { findHit, findHitTarget, saveHitDecision, saveProposedDismissal } from '../../db/cases/screening.ts'
import { appendTimeline, isInTimeline } from '../../db/cases/timeline.ts'
import { transaction } from '../../db/connection/database.ts'
import { RequestRefused } from '../../domain/errors.ts'
import {
  type DecisionAboutHit,
  findHitVersionProblem,
  type Hit,
  needsSecondDismissal,
  ownerOfDecision,
} from '../../domain/screening/hit.ts'
import type { Deps } from '../deps.ts'
import type { Asking } from './command.ts'

/**
 * Returns the hit as it is then: a dismissal that needs a second operator leaves it undecided until another operator
 * dismisses it. Throws `not_found`, or `stale_version` if the hit is not the one that the operator read. After the last
 * of many hits, the entity is screened again for those that were not kept.
 */
export async function decideAboutHit(
  { db, screening }: Pick<Deps, 'db' | 'screening'>,
  { actor, effect }: Asking,
  id: string,
  decision: DecisionAboutHit,
): Promise<Hit> {
  const { hit, target, isScreened } = await transaction(db, async (tx) => {
    const target = await findHitTarget(tx, id)
    if (target) await getAssignmentForUpdate(tx, target)
    const hit = target && (await findHit(tx, id))
    const vault = target && (await findVault(tx, target.vaultId))
    if (!target || !hit || !vault) throw new RequestRefused({ code: 'not_found' })
    // A later decision by someone else stays.
    if (effect.isRerun && (await isInTimeline(tx, target.id, effect.id)))
      return { hit, target, isScreened: true }
    const stale = findHitVersionProblem(hit, decision, actor)
    if (stale) throw new RequestRefused(stale)
    const { outcome: status, comment = hit.dismissalBy === null ? null : hit.comment } = decision
    const isProposed = status === 'dismissed' && needsSecondDismissal(hit, vault, actor)
    if (isProposed && hit.dismissalBy === actor) return { hit, target, isScreened: true }
    await appendTimeline(tx, {
      vaultId: target.vaultId,
      entity: target.entity,
      entityId: target.id,
      action: isProposed ? 'screening_hit_dismissal_proposed' : `screening_hit_${status}`,
      actor,
      internalNote: decision.comment,
      causeId: effect.id,
    })
    await renewAssignment(tx, target, actor)
    if (isProposed) {
      const dismissalAt = await saveProposedDismissal(tx, id, { actor, comment })
      return { hit: { ...hit, dismissalBy: actor, dismissalAt, comment }, target, isScreened: true }
    }
    const decided = { status, comment, ...ownerOfDecision(hit, status, actor) }
    const { decidedAt, isScreened } = await saveHitDecision(tx, target, id, decided)
    return {
      hit: { ...hit, ...decided, decidedAt, dismissalBy: null, dismissalAt: null },
      target,
      isScreened,
    }
  })
  if (!isScreened) await screening.screen(target)
  return hit
}
