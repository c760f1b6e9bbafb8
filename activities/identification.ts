/** Activities for an identification's workflow. */

import { v7 as newId } from 'uuid'
import { findKybOfCheck, getRowOfCheckForUpdate } from '../src/db/cases/beneficiary.ts'
import type { LockedCommand } from '../src/db/cases/command.ts'
import { attachFile } from '../src/db/cases/file.ts'
import {
  dropUnappliedHold,
  insertHold,
  saveHolds,
  settleHoldOfClosedIdentification,
} from '../src/db/cases/hold.ts'
import { getIdentificationForUpdate } from '../src/db/cases/identification.ts'
import { insertAccount, saveIdentification } from '../src/db/cases/identification-save.ts'
import { getReviewForUpdate } from '../src/db/cases/kyb-application.ts'
import { recordAppeal } from '../src/db/cases/kyb-application-save.ts'
import { insertFact, settleFact } from '../src/db/cases/pending-fact.ts'
import { removeUnsubmitted } from '../src/db/cases/removal.ts'
import { identificationSnapshot, readIdentificationSnapshot } from '../src/db/cases/snapshot.ts'
import { appendTimeline, isInTimeline, untrueCauseId } from '../src/db/cases/timeline.ts'
import { type Database, transaction } from '../src/db/connection/database.ts'
import { insertWebhookLogs } from '../src/db/webhooks/outbox.ts'
import { storedKind } from '../src/domain/base/fact.ts'
import { transitionOnFact } from '../src/domain/identification/fact.ts'
import {
  endOfReview,
  type IdentificationFact,
  type IdentificationSnapshot,
  identificationStatus,
  type KnownFact,
  parseFact,
  reviewFactId,
} from '../src/domain/identification/identification.ts'
import { type DecidedIdentification, isUnsubmitted } from '../src/domain/identification/record.ts'
import {
  type IdentificationCommand,
  transitionIdentification,
} from '../src/domain/identification/transition.ts'
import { beneficiaryVerified, companyClosed } from '../src/domain/kyb/application.ts'
import { changedIdentificationPaths } from '../src/domain/review/changed-paths.ts'
import type { GatehouseEvent } from '../src/domain/webhook/events.ts'
import { sendFacts } from '../src/temporal/facts.ts'
import type { IdentificationActivities, Transition } from '../workflows/activities.ts'
import { applyCommands } from './command.ts'
import { droppedBy, type Entry, entriesOf } from './decision-entries.ts'
import type { ActivityDeps } from './deps.ts'
import { findFactCause, recordMalformedFact } from './fact-cause.ts'
import { removeFiles } from './removed-files.ts'
import { inFactSpan } from './spans.ts'

type Snapshot = Transition<IdentificationSnapshot>

/** Work to do after the commit: events to deliver and files to erase. */
interface AfterCommit {
  readonly webhookLogIds: string[]
  readonly erasedFiles: string[]
}

export function createIdentificationActivities({
  db,
  blobs,
  temporal,
  dispatcher,
  screening,
  log,
}: ActivityDeps): IdentificationActivities {
  /**
   * Writes a changed record with its timeline, holds, facts and events. Adds the new webhook logs and the erased files
   * to the work after the commit.
   */
  async function write(
    tx: Database,
    before: DecidedIdentification,
    after: DecidedIdentification,
    events: readonly GatehouseEvent[],
    entries: readonly Entry[],
    { webhookLogIds, erasedFiles }: AfterCommit,
  ): Promise<void> {
    for (const entry of entries)
      await appendTimeline(tx, {
        ...entry,
        vaultId: before.vaultId,
        entity: 'identification',
        entityId: before.id,
        from: identificationStatus(before.state),
        to: identificationStatus(after.state),
      })
    for (const account of after.accounts.slice(before.accounts.length))
      await insertAccount(tx, before.id, account)
    erasedFiles.push(...(await saveIdentification(tx, before, after)))
    if (after.kybId && after.state.verification !== before.state.verification)
      await recordAppeal(tx, after.vaultId, after.kybId, after.state.verification)
    // Records the actor of the change as the person who lifted the holds.
    await saveHolds(tx, before, after, entries[0]?.actor ?? 'system')
    await insertFacts(tx, before, after)
    webhookLogIds.push(...(await insertWebhookLogs(tx, before.vaultId, events)))
  }

  /**
   * Applies a finished review before the identification is closed, because the fact about the review may arrive later.
   */
  async function applyFinishedReview(
    tx: Database,
    before: DecidedIdentification,
    afterCommit: AfterCommit,
  ): Promise<DecidedIdentification> {
    const review = await getReviewForUpdate(tx, before.vaultId, before.id)
    // The fact that arrives later has the same ID, so it has no effect.
    const fact = review && endOfReview(reviewFactId(review.id), review)
    if (!fact) return before
    const { record, events } = transitionOnFact(before, fact, new Date())
    if (record === before) return before
    const entry = { action: storedKind(fact.kind), actor: 'system', causeId: fact.id }
    const entries = [entry, ...droppedBy(before, record, fact.id)]
    await write(tx, before, record, events, entries, afterCommit)
    return record
  }

  const apply =
    (afterCommit: AfterCommit) =>
    async (
      tx: Database,
      read: DecidedIdentification,
      { id, command, actor }: LockedCommand<'identification'>,
    ) => {
      const overtaken = command.kind === 'close' && read.state.awaitsKyb && !read.erasedAt
      const before = overtaken ? await applyFinishedReview(tx, read, afterCommit) : read
      const result = transitionIdentification(before, command, { now: new Date(), newId, actor })
      // The review is applied even if the closing is refused.
      if ('problems' in result) return { ...result, record: before }
      // The command changes nothing, for example because it blocks services that are already blocked.
      if (result.record === before) return result
      const { record, events } = result
      const owner = { identificationId: before.id }
      if (command.kind === 'attach' && !(await attachFile(tx, owner, command.fileId)))
        return { problems: [{ code: 'unknown_file' }] as const }
      const { reason = 'client_request', notes = null } = command.kind === 'block' ? command : {}
      for (const hold of record.state.holds.filter(({ id }) => !isHeldBy(before, id))) {
        await insertHold(tx, { ...hold, identificationId: before.id, reason, notes, openedBy: actor })
      }
      const changedPaths = changedIdentificationPaths(before, record)
      const [first, ...others] = entriesOf(before, record, { id, command, actor }, changedPaths)
      const entries = first ? [{ ...first, ...wordsOfBlock(command) }, ...others] : []
      await write(tx, before, record, events, entries, afterCommit)
      return result
    }

  /** Delivers the events and erases the files. Housekeeping completes any work that fails here. */
  async function finish({ webhookLogIds, erasedFiles }: AfterCommit): Promise<void> {
    dispatcher.notify(webhookLogIds)
    await removeFiles({ db, blobs }, erasedFiles).catch((err) =>
      log.warn({ err }, 'erased files were not deleted; housekeeping will delete them'),
    )
  }

  return {
    async applyIdentificationCommands(input) {
      const after: AfterCommit = { webhookLogIds: [], erasedFiles: [] }
      const result = await applyCommands(
        db,
        {
          entity: 'identification',
          lock: getIdentificationForUpdate,
          snapshotOf: identificationSnapshot,
          apply: apply(after),
        },
        input,
      )
      await finish(after)
      return result
    },

    async applyIdentificationFact({ id, vaultId, fact: message, malformedId, version }) {
      const fact = parseFact(message)
      if (!fact) {
        await recordMalformedFact(db, { entity: 'identification', id, vaultId }, malformedId)
        return { outcome: 'applied', state: null }
      }
      const after: AfterCommit = { webhookLogIds: [], erasedFiles: [] }
      if (fact.kind === 'check_finished') await screening.screen({ entity: 'identification', id, vaultId })
      const target = { entity: 'identification', id, vaultId } as const
      const apply = async (tx: Database): Promise<Snapshot> => {
        // Every transaction locks the beneficiary's row before the identification's row.
        if (isAboutBeneficiary(fact)) await getRowOfCheckForUpdate(tx, id)
        const before = await getIdentificationForUpdate(tx, vaultId, id)
        if (!before) throw new Error('the identification of the workflow is not in the database')
        if (before.state.version !== version)
          return { outcome: 'stale', state: identificationSnapshot(before) }
        await settleFact(tx, fact)
        // A fact takes effect only once, even if a second message with its ID has other content.
        if (await isInTimeline(tx, id, fact.id))
          return { outcome: 'applied', state: identificationSnapshot(before) }
        // Facts do not change an erased identification.
        const caused = before.erasedAt ? null : await findFactCause(tx, before, fact)
        const { record, events } = caused
          ? transitionOnFact(before, caused.fact, new Date())
          : { record: before, events: [] }
        if (record === before) {
          await appendTimeline(tx, {
            vaultId,
            entity: 'identification',
            entityId: id,
            action: `${storedKind(fact.kind)}_without_effect`,
            actor: 'system',
            from: identificationStatus(before.state),
            to: identificationStatus(before.state),
            causeId: caused ? fact.id : untrueCauseId(fact.id),
          })
          if (fact.kind === 'case_opened') await dropUnappliedHold(tx, id, fact.caseId)
          if (fact.kind === 'case_closed') await settleHoldOfClosedIdentification(tx, fact.caseId)
          return { outcome: 'applied', state: identificationSnapshot(before) }
        }
        const entry = {
          action: storedKind(fact.kind),
          actor: caused?.actor ?? 'system',
          causeId: fact.id,
          reasonCode: caused ? reasonOf(caused.fact) : undefined,
        }
        const entries = [entry, ...droppedBy(before, record, fact.id)]
        await write(tx, before, record, events, entries, after)
        // If a person is removed or replaced before submitting, only the row of the identification remains.
        if (isAboutBeneficiary(fact) && isUnsubmitted(before))
          after.erasedFiles.push(...(await removeUnsubmitted(tx, before)))
        return { outcome: 'applied', state: identificationSnapshot(record) }
      }
      const result = await inFactSpan(db, 'apply fact', target, fact, (own) => transaction(own, apply))
      await finish(after)
      return result
    },

    async loadIdentification({ id, vaultId }) {
      const state = await readIdentificationSnapshot(db, vaultId, id)
      if (!state) throw new Error('the identification of the workflow is not in the database')
      return { outcome: 'applied', state }
    },

    signalIdentificationClosed: ({ id }) => sendFacts(db, temporal, id),

    signalBeneficiaryVerified: ({ id }) => sendFacts(db, temporal, id),
  }
}

/** Inserts the facts that follow from a change in the verification state. */
async function insertFacts(
  tx: Database,
  { id, state: before }: DecidedIdentification,
  { vaultId, kybId, origin, state }: DecidedIdentification,
): Promise<void> {
  if (state.verification === before.verification) return
  if (state.verification === 'closed' && kybId)
    await insertFact(tx, id, { entity: 'kyb', id: kybId, vaultId }, companyClosed(id))
  if (state.verification === 'approved' && origin === 'beneficiary') {
    const kyb = await findKybOfCheck(tx, id)
    if (kyb?.isCurrent && !kyb.removedAt)
      await insertFact(tx, id, { entity: 'kyb', id: kyb.id, vaultId }, beneficiaryVerified(id))
  }
}

const isAboutBeneficiary = ({ kind }: IdentificationFact): boolean =>
  kind === 'beneficiary_removed' || kind === 'beneficiary_changed'

const isHeldBy = ({ state }: DecidedIdentification, id: string): boolean =>
  state.holds.some((hold) => hold.id === id)

function reasonOf(fact: KnownFact): string | undefined {
  if (fact.kind === 'case_opened') return fact.reason
  return fact.kind === 'check_finished' ? fact.reasonCode : undefined
}

/** Returns the reason and notes of a block for its timeline entry. */
const wordsOfBlock = (command: IdentificationCommand) =>
  command.kind === 'block' ? { reasonCode: command.reason, internalNote: command.notes } : {}
