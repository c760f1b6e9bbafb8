/** Reads the actor and the content of a fact about an identification from the database. */

import { findKybOfCheck } from '../src/db/cases/beneficiary.ts'
import { findHold, insertHold } from '../src/db/cases/hold.ts'
import { getReviewForUpdate } from '../src/db/cases/kyb-application.ts'
import { isLost } from '../src/db/cases/stored-file.ts'
import { appendTimeline } from '../src/db/cases/timeline.ts'
import { findCheck } from '../src/db/cases/verification-check.ts'
import type { Database } from '../src/db/connection/database.ts'
import type { EntityRef } from '../src/domain/entity/entity.ts'
import { isInternalOwner, servicesOf } from '../src/domain/identification/holds.ts'
import {
  endOfReview,
  type IdentificationFact,
  type KnownFact,
} from '../src/domain/identification/identification.ts'
import type { Identification } from '../src/domain/identification/record.ts'
import { isAbout, resultOf } from '../src/domain/identification/verification-check.ts'

/** Returns the result of a check. Returns null if the check has no result or was run on earlier data. */
async function findCheckResult(tx: Database, identification: Identification, checkId: string | undefined) {
  const check = checkId === undefined ? null : await findCheck(tx, checkId)
  return check && isAbout(check, identification) ? resultOf(check) : null
}

/**
 * Returns the actor of a fact, and the fact with the content of the stored rows. A message contains only the ID of a
 * row, so that no one can make a decision by sending a message by hand. Inserts the row of a hold that was placed by
 * hand. Returns null if the fact has no effect, for example because the hold is lifted or the check is no longer
 * awaited.
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
  if (fact.kind === 'review_finished') {
    const review = await getReviewForUpdate(tx, identification.vaultId, identification.id)
    const ended = review && endOfReview(fact.id, review)
    return ended && { actor: 'system', fact: ended }
  }
  if (fact.kind === 'beneficiary_removed' || fact.kind === 'beneficiary_changed') {
    const kyb = await findKybOfCheck(tx, identification.id)
    const isTrue = kyb && (fact.kind === 'beneficiary_removed' ? kyb.removedAt !== null : !kyb.isCurrent)
    return isTrue ? { actor: 'system', fact } : null
  }
  if (fact.kind === 'profile_applies') return { actor: 'system', fact }
  if (fact.kind === 'file_lost')
    return (await isLost(tx, { identificationId: identification.id }, fact.fileId))
      ? { actor: 'system', fact }
      : null
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
    // A signal that was sent by hand must not bypass the second operator.
    const lacksConfirmation =
      identification.policy.fourEyes.includes('case_closings') && !hold.closeRequestedBy
    return lacksConfirmation ? null : { actor: hold.closeRequestedBy ?? 'temporal', fact }
  }
  if (!isInternalOwner(hold.owner)) return null
  return { actor: hold.openedBy, fact: { ...fact, owner: hold.owner, services: hold.services } }
}

/** Records a malformed message in the timeline. The message has no other effect. */
export async function recordMalformedFact(db: Database, target: EntityRef, causeId: string): Promise<void> {
  await appendTimeline(db, target, { action: 'malformed_fact', actor: 'system', causeId })
}
