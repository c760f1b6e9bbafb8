/**
 * Sends facts to the workflows that apply them.
 * A fact has a row in the outbox, from the change that it reports until the change that it causes. After the first
 * change, the sender calls `sendFacts`. If this fails, housekeeping sends the fact again. A workflow may receive a fact
 * twice, but applies it only once, by its ID.
 */
import { ActivityNotFoundError, type Client } from '@temporalio/client'
import { fact as factSignal, resync } from '../../workflows/messages.ts'
import { deleteRemovedBeneficiary } from '../db/cases/beneficiary.ts'
import { settleHoldOfClosedIdentification } from '../db/cases/hold.ts'
import { acknowledgeCommands } from '../db/commands/command.ts'
import { findPendingFacts, type PendingFact, settleFact } from '../db/commands/pending-fact.ts'
import { type Database, withSpan } from '../db/connection/database.ts'
import type { Entity, EntityRef } from '../domain/entity/entity.ts'
import type { VerificationCheck } from '../domain/identification/verification-check.ts'
import type { Logger } from '../process/log.ts'
import { inSpan } from '../process/span.ts'
import { attributesOf, ENTITIES, signalEntity } from './entities.ts'
import { DEADLINE_MS } from './gateway.ts'

/**
 * Sends the pending facts of one source. Sends facts for the same target in order, because a hold must be placed before
 * it is lifted.
 */
export async function sendFacts(db: Database, temporal: Client, sourceId: string): Promise<void> {
  const pending = await findPendingFacts(db, sourceId)
  const targets = new Set(pending.map(({ target }) => target.id))
  const results = await Promise.allSettled(
    [...targets].map(async (id) => {
      for (const each of pending) if (each.target.id === id) await sendFact(db, temporal, each)
    }),
  )
  // Throws after all targets have been tried, so that a target that does not respond does not delay the others.
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/**
 * Sends the pending facts of a source after the commit. Returns after at most four seconds. Never throws, because
 * housekeeping sends the facts that fail.
 */
export async function trySendFacts(
  { db, temporal, log }: { db: Database; temporal: Client; log: Logger },
  sourceId: string,
): Promise<void> {
  await temporal
    .withDeadline(Date.now() + DEADLINE_MS, () => sendFacts(db, temporal, sourceId))
    .catch((err) => log.warn({ err, sourceId }, 'facts were not signalled; housekeeping will signal them'))
}

async function sendFact<E extends Entity>(db: Database, temporal: Client, pending: PendingFact<E>) {
  const { target, fact, traceparent } = pending
  const attributes = { ...attributesOf(target), 'gatehouse.fact.kind': fact.kind }
  await inSpan(db.span, 'signal', { kind: 'producer', parent: traceparent, attributes }, (span) =>
    signalFact(withSpan(db, span), temporal, pending),
  )
}

async function signalFact<E extends Entity>(
  db: Database,
  temporal: Client,
  { target, fact }: PendingFact<E>,
): Promise<void> {
  const { readSnapshot, ended } = ENTITIES[target.entity]
  const state = await readSnapshot(db, target.vaultId, target.id)
  if (state && !ended(state)) return signalEntity(temporal, target, state, factSignal, fact)
  // No running workflow can apply the fact.
  if (fact.kind === 'case_opened' || fact.kind === 'case_closed')
    await settleHoldOfClosedIdentification(db, fact.caseId)
  if (fact.kind === 'beneficiary_removed' && !state) await deleteRemovedBeneficiary(db, target.id)
  await settleFact(db, fact)
}

/**
 * Completes the activity that waits for the result of a check. If no activity waits, sends the fact that the check has
 * ended.
 */
export async function completeCheck(db: Database, temporal: Client, check: VerificationCheck): Promise<void> {
  try {
    if (check.taskToken !== null)
      return await temporal.activity.complete(Buffer.from(check.taskToken, 'base64'), null)
  } catch (error) {
    if (!(error instanceof ActivityNotFoundError)) throw error
  }
  await sendFacts(db, temporal, check.identificationId)
}

/** Makes the workflow read its state again, because it may not know that the commands were applied. */
export async function resyncAfterCommands(
  db: Database,
  temporal: Client,
  ref: EntityRef,
  commandIds: readonly string[],
): Promise<void> {
  const state = await ENTITIES[ref.entity].readSnapshot(db, ref.vaultId, ref.id)
  if (state) await signalEntity(temporal, ref, state, resync)
  await acknowledgeCommands(db, commandIds)
}
