/**
 * Use cases for decisions on screening hits. They are not commands, because a processed application has no workflow,
 * but screening it against new lists can still find hits. The lock on the entity's row prevents simultaneous screenings
 * and commands.
 */
import { findVault } from '../../db/access/vault.ts'
import { appendTimeline, isInTimeline } from '../../db/commands/timeline.ts'
import { transaction } from '../../db/connection/database.ts'
import { getAssignmentForUpdate, renewAssignment } from '../../db/lists/assignment.ts'
import {
  findHit,
  findHitTarget,
  saveHitDecision,
  saveProposedDismissal,
} from '../../db/screening/screening-hit.ts'
import type { By } from '../../domain/access/audit.ts'
import type { Granted } from '../../domain/access/grant.ts'
import { type Refusals, RequestRefused, requireFound } from '../../domain/base/errors.ts'
import {
  type DecisionAboutHit,
  findHitVersionProblem,
  type Hit,
  needsSecondDismissal,
  ownerOfDecision,
} from '../../domain/screening/hit.ts'
import { requirePermission } from '../access/caller.ts'
import type { Deps } from '../base/deps.ts'
import type { Effect } from '../base/effect.ts'
import { recordCaseRead } from '../case/reading-record.ts'

/**
 * Decides a hit and returns it. Records the read of the case, because the hit contains its data. If a dismissal needs a
 * second operator, it takes effect only when another operator repeats it. Throws `not_found`, or `stale_version` if the
 * hit has changed since the operator read it.
 * If there were too many hits to store, screens the entity again after the last stored hit is decided.
 */
export async function decideAboutHit(
  { db, screening, spend }: Pick<Deps, 'db' | 'screening' | 'spend'>,
  { by, effect, ...operator }: Granted & { readonly by: By; readonly effect: Effect },
  id: string,
  decision: DecisionAboutHit,
): Promise<Hit> {
  const { actor } = by
  const target = requireFound(await findHitTarget(db, id))
  requirePermission(operator, 'decide', target.vaultId)
  await recordCaseRead({ db, spend }, by, target)
  const { hit, isScreened } = await transaction(db, async (tx) => {
    await getAssignmentForUpdate(tx, target)
    const hit = await findHit(tx, id)
    const vault = await findVault(tx, target.vaultId)
    if (!hit || !vault) throw new RequestRefused({ code: 'not_found' })
    // A repeated request does not overwrite a later decision of another operator.
    if (effect.isRerun && (await isInTimeline(tx, target.id, effect.id))) return { hit, isScreened: true }
    // Another operator has proposed to dismiss the hit, so this dismissal confirms the proposal.
    if (hit.dismissalBy !== null && hit.dismissalBy !== actor && decision.outcome === 'dismissed')
      requirePermission(operator, 'confirm', target.vaultId)
    const stale = findHitVersionProblem(hit, decision, actor)
    if (stale) throw new RequestRefused(stale)
    const { outcome: status, comment = hit.dismissalBy === null ? null : hit.comment } = decision
    const isProposed = status === 'dismissed' && needsSecondDismissal(hit, vault, actor)
    const isSame = hit.status === status && hit.dismissalBy === null && hit.comment === (comment ?? null)
    if (isSame || (isProposed && hit.dismissalBy === actor)) return { hit, isScreened: true }
    await appendTimeline(tx, target, {
      action: isProposed ? 'screening_hit_dismissal_proposed' : `screening_hit_${status}`,
      actor,
      internalNote: decision.comment,
      causeId: effect.id,
    })
    await renewAssignment(tx, target, actor)
    if (isProposed) {
      const dismissalAt = await saveProposedDismissal(tx, id, { actor, comment })
      return { hit: { ...hit, dismissalBy: actor, dismissalAt, comment }, isScreened: true }
    }
    const decided = { status, comment, ...ownerOfDecision(hit, status, actor) }
    const { decidedAt, isScreened } = await saveHitDecision(tx, target, id, decided)
    return {
      hit: { ...hit, ...decided, decidedAt, dismissalBy: null, dismissalAt: null },
      isScreened,
    }
  })
  if (!isScreened) await screening.screen(target)
  return hit
}

decideAboutHit.refuses = ['stale_version'] as const satisfies Refusals
