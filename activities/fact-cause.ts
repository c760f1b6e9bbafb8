/** Reads the actor and the content of a fact about an identification from the database. */

import { findKybOfCheck } from '../src/db/cases/beneficiary.ts'
import { findHold, insertHold } from '../src/db/cases/hold.ts'
import { getReviewForUpdate } from '../src/db/cases/kyb-application.ts'
import { findCheck } from '../src/db/cases/verification-check.ts'
import { appendTimeline } from '../src/db/commands/timeline.ts'
import type { Database } from '../src/db/connection/database.ts'
import { isLost } from '../src/db/files/stored-file.ts'
import type { EntityRef } from '../src/domain/entity/entity.ts'
import { isInternalOwner, servicesOf } from '../src/domain/identification/holds.ts'
import {
  endOfReview,
  type IdentificationFact,
  type KnownFact,
} from '../src/domain/identification/identification.ts'
import type { Identification } from '../src/domain/identification/record.ts'
import { isAbout, resultOf } from '../src/domain/identification/verification-check.ts'

type Kind = IdentificationFact['kind']

/** The actor of a fact, and the fact with the content of the stored rows. */
interface Cause {
  readonly actor: string
  readonly fact: KnownFact
}

type FindCause<K extends Kind> = (
  tx: Database,
  identification: Identification,
  fact: Extract<IdentificationFact, { kind: K }>,
) => Promise<Cause | null>

const bySystem = (fact: KnownFact | null): Cause | null => fact && { actor: 'system', fact }

/** Returns the cause of each kind of fact, or null if the rows contradict the fact. */
const CAUSES: { readonly [K in Kind]: FindCause<K> } = {
  async check_finished(tx, identification, { id, kind, checkId }) {
    const check = checkId === undefined ? null : await findCheck(tx, checkId)
    const result = check && isAbout(check, identification) ? resultOf(check) : null
    return bySystem(result && { id, kind, ...result })
  },
  async review_finished(tx, { vaultId, id }, fact) {
    const review = await getReviewForUpdate(tx, vaultId, id)
    return bySystem(review && endOfReview(fact.id, review))
  },
  async beneficiary_removed(tx, { id }, fact) {
    const kyb = await findKybOfCheck(tx, id)
    return bySystem(kyb && kyb.removedAt !== null ? fact : null)
  },
  async beneficiary_changed(tx, { id }, fact) {
    const kyb = await findKybOfCheck(tx, id)
    return bySystem(kyb && !kyb.isCurrent ? fact : null)
  },
  profile_applies: async (_tx, _identification, fact) => bySystem(fact),
  async file_lost(tx, { id }, fact) {
    return bySystem((await isLost(tx, { identificationId: id }, fact.fileId)) ? fact : null)
  },
  /** Inserts the row of a hold that was placed by hand. */
  async case_opened(tx, identification, fact) {
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
    const hold = await findActiveHold(tx, identification, fact.caseId)
    if (!hold || !isInternalOwner(hold.owner)) return null
    return { actor: hold.openedBy, fact: { ...fact, owner: hold.owner, services: hold.services } }
  },
  async case_closed(tx, identification, fact) {
    const hold = await findActiveHold(tx, identification, fact.caseId)
    if (!hold) return null
    const needsTwo = identification.policy.fourEyes.includes('case_closings')
    // A signal that was sent by hand must not bypass the second operator.
    if (needsTwo && !hold.closeRequestedBy) return null
    return { actor: hold.closeRequestedBy ?? 'temporal', fact }
  },
}

async function findActiveHold(tx: Database, { id }: Identification, holdId: string) {
  const hold = await findHold(tx, holdId)
  return hold?.identificationId === id && hold.liftedAt === null ? hold : null
}

/**
 * Returns the cause of a fact. A message contains only the ID of a row, so that no one can make a decision by sending a
 * message by hand. Returns null if the fact has no effect, for example because the hold is lifted or the check is no
 * longer awaited.
 */
export function findFactCause(tx: Database, identification: Identification, fact: IdentificationFact) {
  const find = CAUSES[fact.kind] as FindCause<Kind>
  return find(tx, identification, fact)
}

/** Records a malformed message in the timeline. The message has no other effect. */
export async function recordMalformedFact(db: Database, target: EntityRef, causeId: string): Promise<void> {
  await appendTimeline(db, target, { action: 'malformed_fact', actor: 'system', causeId })
}
