/** Tells workflows what has happened elsewhere; as often as it takes, since a fact has its effect once. */
import { ActivityNotFoundError, type Client } from '@temporalio/client'
import { fact as factSignal, resync } from '../../workflows/messages.ts'
import { deleteRemovedBeneficiary, kybOfBeneficiary } from '../db/cases/beneficiary.ts'
import { markHeard } from '../db/cases/command.ts'
import { findHold, settleHoldOfEnded } from '../db/cases/hold.ts'
import { findKybOfIdentification } from '../db/cases/kyb-application.ts'
import { readIdentificationSnapshot, readKybSnapshot } from '../db/cases/snapshot.ts'
import type { Database } from '../db/connection/database.ts'
import type { EntityRef, Ref } from '../domain/entity.ts'
import { type BlockReason, isCaseOwner } from '../domain/identification/holds.ts'
import {
  type IdentificationFact,
  identificationEnded,
  reviewFactId,
} from '../domain/identification/identification.ts'
import { checkFact, type VerificationCheck } from '../domain/identification/verification-check.ts'
import { beneficiaryVerified, type KybFact } from '../domain/kyb/application.ts'
import { ENTITIES, signalEntity } from './entities.ts'

export async function signalIdentification(
  db: Database,
  temporal: Client,
  { id, vaultId }: Ref,
  fact: IdentificationFact,
): Promise<void> {
  const state = await readIdentificationSnapshot(db, vaultId, id)
  if (!state) throw new Error('the identification is not in the database')
  await signalEntity(temporal, { entity: 'identification', id, vaultId }, state, factSignal, fact)
}

/** Tells the company's identification how the review of its application ended. */
export async function signalKybProcessed(
  db: Database,
  temporal: Client,
  { id, vaultId }: Ref,
): Promise<void> {
  const kyb = await readKybSnapshot(db, vaultId, id)
  const outcome = kyb?.review?.outcome
  if (kyb?.status !== 'processed' || outcome === undefined || outcome === 'revision_requested') return
  await signalIdentification(
    db,
    temporal,
    { id: kyb.identificationId, vaultId },
    { id: reviewFactId(id), kind: 'kyb_processed', outcome },
  )
}

/** Tells the company's application, if there is one, that its identification was closed. */
export async function signalIdentificationClosed(
  db: Database,
  temporal: Client,
  { id, vaultId }: Ref,
): Promise<void> {
  const kyb = await findKybOfIdentification(db, vaultId, id)
  const state = kyb && (await readKybSnapshot(db, vaultId, kyb.id))
  if (!kyb || !state) return
  const closed: KybFact = { id: `identification-closed-${id}`, kind: 'identification_closed' }
  await signalEntity(temporal, { entity: 'kyb', id: kyb.id, vaultId }, state, factSignal, closed)
}

/** Tells the application of a beneficiary that the person's own verification has ended well. */
export async function signalBeneficiaryVerified(
  db: Database,
  temporal: Client,
  { id, vaultId }: Ref,
): Promise<void> {
  const kyb = await kybOfBeneficiary(db, id)
  const state = kyb && !kyb.removedAt && (await readKybSnapshot(db, vaultId, kyb.id))
  if (!state) return
  const ref = { entity: 'kyb', id: kyb.id, vaultId } as const
  await signalEntity(temporal, ref, state, factSignal, beneficiaryVerified(id))
}

/**
 * Tells the own verification of somebody who was removed from an application; where there is none, all is over. One
 * that has ended before is kept, and erased with the application.
 */
export async function signalBeneficiaryRemoved(db: Database, temporal: Client, id: string): Promise<void> {
  const kyb = await kybOfBeneficiary(db, id)
  if (!kyb?.removedAt) return
  const verification = await readIdentificationSnapshot(db, kyb.vaultId, id)
  if (!verification) return deleteRemovedBeneficiary(db, id)
  if (identificationEnded(verification)) return
  const removed = { id: `beneficiary-removed-${id}`, kind: 'beneficiary_removed' } as const
  await signalIdentification(db, temporal, { id, vaultId: kyb.vaultId }, removed)
}

/** Tells the identification that one of its checks has ended. */
export const signalCheckFinished = (
  db: Database,
  temporal: Client,
  check: VerificationCheck,
): Promise<void> =>
  signalIdentification(db, temporal, { id: check.identificationId, vaultId: check.vaultId }, checkFact(check))

/** Ends the waiting for a check's answer; where nothing waits for it, the identification is told of it. */
export async function completeCheck(db: Database, temporal: Client, check: VerificationCheck): Promise<void> {
  try {
    if (check.taskToken === null) return await signalCheckFinished(db, temporal, check)
    await temporal.activity.complete(Buffer.from(check.taskToken, 'base64'), null)
  } catch (error) {
    if (!(error instanceof ActivityNotFoundError)) throw error
    await signalCheckFinished(db, temporal, check)
  }
}

/** Tells the workflow that these commands were applied, which it may not know. */
export async function signalApplied(
  db: Database,
  temporal: Client,
  ref: EntityRef,
  commandIds: readonly string[],
): Promise<void> {
  const state = await ENTITIES[ref.entity].readSnapshot(db, ref.vaultId, ref.id)
  if (state) await signalEntity(temporal, ref, state, resync)
  await markHeard(db, commandIds)
}

/** Tells the identification what was asked of a case. */
export async function signalCase(db: Database, temporal: Client, caseId: string): Promise<void> {
  await settleHoldOfEnded(db, caseId)
  const found = await findHold(db, caseId)
  if (!found || !isCaseOwner(found.owner) || found.liftedAt) return
  const ref = { id: found.identificationId, vaultId: found.vaultId }
  // The opening goes first: a case that is not open yet cannot be closed.
  if (!found.appliedAt) {
    const { owner, services, reason } = found
    const opened = { kind: 'case_opened', caseId, owner, services, reason: reason as BlockReason } as const
    await signalIdentification(db, temporal, ref, { id: `case-opened-${caseId}`, ...opened })
  }
  if (found.closeRequestedAt) {
    await signalIdentification(db, temporal, ref, {
      id: `case-closed-${caseId}`,
      kind: 'case_closed',
      caseId,
    })
  }
}
