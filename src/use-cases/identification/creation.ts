/** Creates identifications, whichever way they come in, each by one statement. */

import { v7 as newId } from 'uuid'
import { identificationInserts } from '../../db/cases/identification-save.ts'
import { timelineInsert } from '../../db/cases/timeline.ts'
import { saveVerificationLink } from '../../db/cases/verification-link.ts'
import { type Database, oneStatement, violatedConstraint } from '../../db/connection/database.ts'
import { insertAll } from '../../db/connection/with-inserts.ts'
import { webhookLogInsert } from '../../db/webhooks/outbox.ts'
import { touchedProfile } from '../../domain/decision/changed-paths.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { creationEvents } from '../../domain/identification/events.ts'
import { type IdentificationState, identificationStatus } from '../../domain/identification/identification.ts'
import type { VerificationLink } from '../../domain/identification/link.ts'
import type { Identification } from '../../domain/identification/record.ts'
import { newReferral } from '../../storage/random.ts'

export interface IdentificationCreation
  extends Pick<Identification, 'vaultId' | 'externalUuid' | 'kind' | 'origin' | 'profile'> {
  readonly state: Pick<IdentificationState, 'verification' | 'waitingOn' | 'awaitsKyb'>
  readonly actor: string
  /** Where it is known already. */
  readonly id?: string
}

/**
 * Its id, and as statements its rows, those of its first account, which the verification of a beneficiary does not
 * have, of its timeline and link, and of what is told of it.
 */
export function newIdentification(
  tx: Database,
  { actor, id = newId(), ...creation }: IdentificationCreation,
  link?: VerificationLink,
) {
  const account = creation.origin === 'beneficiary' ? null : { id: newId(), referral: newReferral() }
  const state: IdentificationState = { ...creation.state, holds: [], version: 1, pending: null }
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
    inserts: [
      ...identificationInserts(tx, { ...identification, account }),
      timelineInsert(tx, entry),
      ...(link ? [saveVerificationLink(tx, id, link)] : []),
      webhookLogInsert(
        creation.vaultId,
        creationEvents({ ...identification, accounts: account ? [account] : [] }),
      ),
    ],
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
      const { id, inserts } = newIdentification(tx, creation, link)
      await insertAll(tx, inserts)
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
