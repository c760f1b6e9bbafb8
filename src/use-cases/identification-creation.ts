/** Creates identifications, whichever way they come in, each in one transaction. */
import { v7 as newId } from 'uuid'
import { type Database, transaction, violatedConstraint } from '../db/database.ts'
import { type Identification, insertIdentification } from '../db/identification.ts'
import { appendTimeline } from '../db/timeline.ts'
import { saveVerificationLink, type VerificationLink } from '../db/verification-link.ts'
import { insertWebhookLogs } from '../db/webhook-outbox.ts'
import { RequestRefused } from '../domain/errors.ts'
import type { GatehouseEvent } from '../domain/events.ts'
import { type IdentificationState, identificationStatus } from '../domain/identification.ts'
import { creationEvents } from '../domain/identification-events.ts'
import { newReferral } from '../storage/random.ts'

export interface IdentificationCreation
  extends Pick<Identification, 'vaultId' | 'externalUuid' | 'kind' | 'origin' | 'profile'> {
  readonly state: Pick<IdentificationState, 'verification' | 'waitingOn' | 'awaitsKyb'>
  readonly actor: string
  /** Where it is known already. */
  readonly id?: string
}

/**
 * Writes the rows of an identification and its first account, which the check of a beneficiary does not have;
 * gives its id and what to tell of it.
 */
export async function writeIdentification(
  tx: Database,
  { actor, id = newId(), ...creation }: IdentificationCreation,
): Promise<{ id: string; events: GatehouseEvent[] }> {
  const account = creation.origin === 'beneficiary' ? null : { id: newId(), referral: newReferral() }
  const state: IdentificationState = { ...creation.state, holds: [], version: 1 }
  const identification = { ...creation, id, state }
  await insertIdentification(tx, { ...identification, account })
  await appendTimeline(tx, {
    vaultId: creation.vaultId,
    entity: 'identification',
    entityId: id,
    action: 'created',
    actor,
    to: identificationStatus(state),
    causeId: 'created',
  })
  return { id, events: creationEvents({ ...identification, accounts: account ? [account] : [] }) }
}

/** Throws RequestRefused when another identification of the vault has the external uuid. */
export async function createIdentification(
  db: Database,
  creation: IdentificationCreation,
  link?: VerificationLink,
): Promise<{ id: string; webhookLogIds: string[] }> {
  try {
    return await transaction(db, async (tx) => {
      const { id, events } = await writeIdentification(tx, creation)
      if (link) await saveVerificationLink(tx, id, link)
      return { id, webhookLogIds: await insertWebhookLogs(tx, creation.vaultId, events) }
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
