/** Who caused a fact about an identification, and what it says, as the rows know it: of cases, checks, reviews and beneficiaries. */

import { findKybOfCheck } from '../src/db/cases/beneficiary.ts'
import { findHold, insertHold } from '../src/db/cases/hold.ts'
import { getReviewForUpdate } from '../src/db/cases/kyb-application.ts'
import { appendTimeline } from '../src/db/cases/timeline.ts'
import { findCheck } from '../src/db/cases/verification-check.ts'
import type { Database } from '../src/db/connection/database.ts'
import type { EntityRef } from '../src/domain/entity.ts'
import { isCaseOwner, servicesOf } from '../src/domain/identification/holds.ts'
import {
  type CheckResult,
  endOfReview,
  type IdentificationFact,
  type KnownFact,
} from '../src/domain/identification/identification.ts'
import type { Identification } from '../src/domain/identification/record.ts'
import { isAbout, resultOf } from '../src/domain/identification/verification-check.ts'

/** What came of the check that the fact names. A check decides only about what it saw: null for another. */
async function findCheckResult(
  tx: Database,
  identification: Identification,
  checkId: string | undefined,
): Promise<CheckResult | null> {
  const check = checkId === undefined ? null : await findCheck(tx, checkId)
  return check && isAbout(check, identification) ? resultOf(check) : null
}

/**
 * Who caused a fact, and the fact as the rows know it: a message only says where to look, so that whoever can send
 * one decides nothing by it. A case opened by hand has no row yet: it gets one.
 * Null for a case that belongs elsewhere or was lifted before, and for a check of which nothing has come or that is
 * not waited for: then the fact has no effect.
 */
export async function findFactCause(
  tx: Database,
  identification: Identification,
  fact: IdentificationFact,
): Promise<{ actor: string; fact: KnownFact } | null> {
  if (fact.kind === 'check_finished') {
    const { id, kind, checkId } = fact
    const result = await findCheckResult(tx, identification, checkId)
    return result && { actor: 'system', fact: { id, kind, ...result } }
  }
  if (fact.kind === 'kyb_processed') {
    const review = await getReviewForUpdate(tx, identification.vaultId, identification.id)
    const ended = review && endOfReview(fact.id, review)
    return ended && { actor: 'system', fact: ended }
  }
  if (fact.kind === 'beneficiary_removed' || fact.kind === 'beneficiary_changed') {
    const kyb = await findKybOfCheck(tx, identification.id)
    const isSo = kyb && (fact.kind === 'beneficiary_removed' ? kyb.removedAt !== null : !kyb.isCurrent)
    return isSo ? { actor: 'system', fact } : null
  }
  if (fact.kind === 'case_opened') {
    const available = servicesOf(identification.internalSettlements)
    const services = available.filter((service) => (fact.services ?? available).includes(service))
    if (services.length === 0) return null
    await insertHold(tx, {
      id: fact.caseId,
      identificationId: identification.id,
      owner: fact.owner,
      services,
      reason: fact.reason,
      notes: null,
      openedBy: 'temporal',
    })
  }
  const hold = await findHold(tx, fact.caseId)
  if (hold?.identificationId !== identification.id || hold.liftedAt !== null) return null
  if (fact.kind === 'case_closed') {
    // Told by hand, it would go past the second operator.
    const isAlone = identification.policy.fourEyes.includes('case_closings') && !hold.closeRequestedBy
    return isAlone ? null : { actor: hold.closeRequestedBy ?? 'temporal', fact }
  }
  if (!isCaseOwner(hold.owner)) return null
  return { actor: hold.openedBy, fact: { ...fact, owner: hold.owner, services: hold.services } }
}

/** Records a message that states no fact. It has no other effect. */
export async function recordMalformedFact(
  db: Database,
  { entity, id, vaultId }: EntityRef,
  causeId: string,
): Promise<void> {
  const action = 'malformed_fact'
  await appendTimeline(db, { vaultId, entity, entityId: id, action, actor: 'system', causeId })
}
