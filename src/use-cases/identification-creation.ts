/** Creates identifications, whichever way they come in, each by one statement. */
import { v7 as newId } from 'uuid'
import { insertAll } from '../db/alongside.ts'
import { type Database, oneStatement, violatedConstraint } from '../db/database.ts'
import { type Identification, identificationInserts } from '../db/identification.ts'
import { timelineInsert } from '../db/timeline.ts'
import { saveVerificationLink, type VerificationLink } from '../db/verification-link.ts'
import { webhookLogInsert } from '../db/webhook-outbox.ts'
import { RequestRefused } from '../domain/errors.ts'
import { type IdentificationState, identificationStatus } from '../domain/identification.ts'
import { creationEvents } from '../domain/identification-events.ts'
import { touchedProfile } from '../domain/touched.ts'
import { newReferral } from '../storage/random.ts'

export interface IdentificationCreation
  extends Pick<Identification, 'vaultId' | 'externalUuid' | 'kind' | 'origin' | 'profile'> {
  readonly state: Pick<IdentificationState, 'verification' | 'waitingOn' | 'awaitsKyb'>
  readonly actor: string
  /** Where it is known already. */
  readonly id?: string
}

/**
 * The rows of an identification, of its first account, which the check of a beneficiary does not have, and of its
 * timeline, as statements; its id, and what to tell of it.
 */
export function newIdentification(
  tx: Database,
  { actor, id = newId(), ...creation }: IdentificationCreation,
) {
  const account = creation.origin === 'beneficiary' ? null : { id: newId(), referral: newReferral() }
  const state: IdentificationState = { ...creation.state, holds: [], version: 1 }
  const identification = { ...creation, id, state }
  const entry = {
    vaultId: creation.vaultId,
    entity: 'identification',
    entityId: id,
    action: 'created',
    actor,
    to: identificationStatus(state),
    ...touchedProfile({}, creation.profile),
    causeId: 'created',
  } as const
  return {
    id,
    inserts: [...identificationInserts(tx, { ...identification, account }), timelineInsert(tx, entry)],
    events: creationEvents({ ...identification, accounts: account ? [account] : [] }),
  }
}

/** Gives its id. Throws RequestRefused when another identification of the vault has the external uuid. */
export async function createIdentification(
  db: Database,
  creation: IdentificationCreation,
  link?: VerificationLink,
): Promise<string> {
  try {
    return await oneStatement(db, async (tx) => {
      const { id, inserts, events } = newIdentification(tx, creation)
      const links = link ? [saveVerificationLink(tx, id, link)] : []
      await insertAll(tx, [...inserts, ...links, webhookLogInsert(creation.vaultId, events)])
      return id
    })
  } catch (error) {
    const constraint = violatedConstraint(error)
    if (constraint === 'identifications_external_uuid') {
      throw new RequestRefused({ code: 'external_uuid_taken', field: 'external_uuid' })
    }
    // Somebody drew the same referral code: the next draw will be another one.
    if (constraint === 'accounts_referral_unique') return createIdentification(db, creation, link)
    throw error
  }
}
