/** Activities for an identification's workflow. */

import { clearScreeningOfCheck, findKybOfCheck, getRowOfCheckForUpdate } from '../src/db/cases/beneficiary.ts'
import { dropUnappliedHold, insertHold, settleHoldOfClosedIdentification } from '../src/db/cases/hold.ts'
import { getReviewForUpdate } from '../src/db/cases/kyb-application.ts'
import { saveHolds } from '../src/db/cases/service-block.ts'
import { insertFact } from '../src/db/commands/pending-fact.ts'
import type { Database } from '../src/db/connection/database.ts'
import { removeUnsubmitted } from '../src/db/removal/removal.ts'
import { insertAccount, saveIdentification } from '../src/db/save/identification.ts'
import { recordAppeal } from '../src/db/save/kyb-application.ts'
import { storedKind } from '../src/domain/base/fact.ts'
import { haveSameSubjects } from '../src/domain/identification/change.ts'
import { transitionOnFact } from '../src/domain/identification/fact.ts'
import {
  endOfReview,
  type IdentificationFact,
  type KnownFact,
  parseFact,
  reviewFactId,
} from '../src/domain/identification/identification.ts'
import { type DecidedIdentification, isUnsubmitted } from '../src/domain/identification/record.ts'
import { transitionIdentification } from '../src/domain/identification/transition.ts'
import { beneficiaryUpdated, beneficiaryVerified, companyClosed } from '../src/domain/kyb/application.ts'
import { progressOfCheck } from '../src/domain/kyb/beneficiary-check.ts'
import { changedIdentificationPaths } from '../src/domain/review/changed-paths.ts'
import { sendFacts } from '../src/temporal/facts.ts'
import type { IdentificationActivities } from '../workflows/activities.ts'
import { droppedBy } from './decision-entries.ts'
import type { ActivityDeps } from './deps.ts'
import { type Change, contextOf, createEntityActivities, type EntityKind } from './entity.ts'
import { findFactCause } from './fact-cause.ts'

export function createIdentificationActivities(deps: ActivityDeps): IdentificationActivities {
  const { db, temporal, screening } = deps
  const { applyCommands, applyFact, load } = createEntityActivities(deps, {
    ...IDENTIFICATION,
    async beforeFact({ kind }, { id, vaultId }) {
      if (kind === 'check_finished') await screening.screen({ entity: 'identification', id, vaultId })
    },
  })
  return {
    applyIdentificationCommands: applyCommands,
    applyIdentificationFact: applyFact,
    loadIdentification: load,
    signalIdentificationClosed: ({ id }) => sendFacts(db, temporal, id),
    signalBeneficiaryVerified: ({ id }) => sendFacts(db, temporal, id),
  }
}

const IDENTIFICATION: EntityKind<'identification', KnownFact> = {
  entity: 'identification',
  ownerOf: ({ id }) => ({ identificationId: id }),
  changedPaths: changedIdentificationPaths,
  async prepare(tx, read, { kind }, write) {
    const isOvertaken = kind === 'close' && read.state.awaitsKyb && !read.erasedAt
    return isOvertaken ? applyFinishedReview(tx, read, write) : read
  },
  transition: (record, row, now) => transitionIdentification(record, row.command, contextOf(row, now)),
  async insert(tx, { before, record }, { command, actor }) {
    const { reason = 'client_request', notes = null } = command.kind === 'block' ? command : {}
    for (const hold of record.state.holds.filter(({ id }) => !isHeldBy(before, id)))
      await insertHold(tx, { ...hold, identificationId: before.id, reason, notes, openedBy: actor })
    return command.kind === 'block' ? { reasonCode: command.reason, internalNote: command.notes } : {}
  },
  save,
  parseFact,
  async lockFirst(tx, fact, id) {
    // Every transaction locks the beneficiary's row before the identification's row.
    if (isAboutBeneficiary(fact)) await getRowOfCheckForUpdate(tx, id)
  },
  // Facts do not change an erased identification.
  causeOf: async (tx, record, fact) => (record.erasedAt ? null : findFactCause(tx, record, fact)),
  transitionOnFact,
  reasonOf(fact) {
    if (fact.kind === 'case_opened') return fact.reason
    return fact.kind === 'check_finished' ? fact.reasonCode : undefined
  },
  async withoutEffect(tx, fact, id) {
    if (fact.kind === 'case_opened') await dropUnappliedHold(tx, id, fact.caseId)
    if (fact.kind === 'case_closed') await settleHoldOfClosedIdentification(tx, fact.caseId)
  },
  async withEffect(tx, fact, before, { erasedFiles }) {
    // If a person is removed or replaced before submitting, only the row of the identification remains.
    if (isAboutBeneficiary(fact) && isUnsubmitted(before))
      erasedFiles.push(...(await removeUnsubmitted(tx, before)))
  },
}

/**
 * Applies a finished review before the identification is closed, because the fact about the review may arrive later.
 */
async function applyFinishedReview(
  tx: Database,
  before: DecidedIdentification,
  write: (change: Omit<Change<'identification'>, 'after'>) => Promise<DecidedIdentification>,
): Promise<DecidedIdentification> {
  const review = await getReviewForUpdate(tx, before.vaultId, before.id)
  // The fact that arrives later has the same ID, so it has no effect.
  const fact = review && endOfReview(reviewFactId(review.id), review)
  if (!fact) return before
  const { record, events } = transitionOnFact(before, fact, new Date())
  if (record === before) return before
  const entry = { action: storedKind(fact.kind), actor: 'system', causeId: fact.id }
  return write({ before, record, events, entries: [entry, ...droppedBy(before, record, fact.id)] })
}

async function save(tx: Database, { before, record, entries, after }: Change<'identification'>) {
  for (const account of record.accounts.slice(before.accounts.length))
    await insertAccount(tx, before.id, account)
  after.erasedFiles.push(...(await saveIdentification(tx, before, record)))
  if (record.origin === 'beneficiary' && !haveSameSubjects(before, record))
    after.unscreened.push(...(await clearScreeningOfCheck(tx, record.id)))
  if (record.kybId && record.state.verification !== before.state.verification)
    await recordAppeal(tx, record.vaultId, record.kybId, record.state.verification)
  // Records the actor of the change as the person who lifted the holds.
  await saveHolds(tx, before, record, entries[0]?.actor ?? 'system')
  after.hasFacts ||= await insertFacts(tx, before, record)
  return record
}

/**
 * Inserts the facts that follow from a change in the verification state. Returns true if one reports that the review of
 * a beneficiary begins or ends. The workflow sends the other facts.
 */
async function insertFacts(
  tx: Database,
  { id, state: before }: DecidedIdentification,
  { vaultId, kybId, origin, state }: DecidedIdentification,
): Promise<boolean> {
  if (state.verification === 'closed' && before.verification !== 'closed' && kybId)
    await insertFact(tx, id, { entity: 'kyb', id: kybId, vaultId }, companyClosed(id))
  const progress = progressOfCheck(state)
  if (origin !== 'beneficiary' || progress === progressOfCheck(before)) return false
  const kyb = await findKybOfCheck(tx, id)
  if (!kyb?.isCurrent || kyb.removedAt) return false
  const fact = progress === 'approved' ? beneficiaryVerified(id) : beneficiaryUpdated(id, state.version)
  await insertFact(tx, id, { entity: 'kyb', id: kyb.id, vaultId }, fact)
  return progress !== 'approved'
}

const isAboutBeneficiary = ({ kind }: IdentificationFact): boolean =>
  kind === 'beneficiary_removed' || kind === 'beneficiary_changed'

const isHeldBy = ({ state }: DecidedIdentification, id: string): boolean =>
  state.holds.some((hold) => hold.id === id)
