/** Who caused a fact about an identification, as the rows of its cases know it. */
import { kybOfBeneficiary } from '../src/db/beneficiary.ts'
import type { Database } from '../src/db/database.ts'
import { findHold, insertHold } from '../src/db/hold.ts'
import type { Identification } from '../src/db/identification.ts'
import { lockReviewOf } from '../src/db/kyb-application.ts'
import { isCaseOwner, servicesOf } from '../src/domain/holds.ts'
import type { IdentificationFact } from '../src/domain/identification.ts'

type CheckFinished = Extract<IdentificationFact, { kind: 'check_finished' }>

/** A check decides only about what it saw: when something else was sent meanwhile, an operator does. */
const asSeen = ({ waitingSince }: Identification, fact: CheckFinished): CheckFinished =>
  fact.since === undefined || fact.since === waitingSince.getTime() ? fact : { ...fact, outcome: 'manual' }

/**
 * Who caused a fact, and the fact as the rows know it: a message only says where to look, so that whoever can send
 * one decides nothing by it. A case opened by hand has no row yet: it gets one.
 * Null for a case that belongs elsewhere or was lifted before: then the fact has no effect.
 */
export async function causeOf(
  tx: Database,
  identification: Identification,
  fact: IdentificationFact,
): Promise<{ actor: string; fact: IdentificationFact } | null> {
  if (fact.kind === 'check_finished') return { actor: 'system', fact: asSeen(identification, fact) }
  if (fact.kind === 'kyb_processed') {
    const review = await lockReviewOf(tx, identification.vaultId, identification.id)
    const outcome = review?.status === 'processed' ? review.outcome : null
    return outcome === 'approved' || outcome === 'rejected'
      ? { actor: 'system', fact: { ...fact, outcome } }
      : null
  }
  if (fact.kind === 'beneficiary_removed') {
    const kyb = await kybOfBeneficiary(tx, identification.id)
    return kyb?.removedAt ? { actor: 'system', fact } : null
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
