/** What the workflow of an identification asks of the world. */
import { v7 as newId } from 'uuid'
import type { Command } from '../src/db/command.ts'
import { type Database, transaction } from '../src/db/database.ts'
import { dropUnappliedHold, insertHold, saveHolds } from '../src/db/hold.ts'
import {
  type Identification,
  insertAccount,
  lockIdentification,
  saveIdentification,
} from '../src/db/identification.ts'
import { lockReviewOf } from '../src/db/kyb-application.ts'
import { identificationSnapshot, readIdentificationSnapshot } from '../src/db/snapshot.ts'
import { appendTimeline, isInTimeline } from '../src/db/timeline.ts'
import { insertWebhookLogs } from '../src/db/webhook-outbox.ts'
import type { GatehouseEvent } from '../src/domain/events.ts'
import { type IdentificationFact, identificationStatus, reviewFactId } from '../src/domain/identification.ts'
import {
  followFact,
  type IdentificationCommand,
  transitionIdentification,
} from '../src/domain/identification-transition.ts'
import { tellClosing } from '../src/temporal/facts.ts'
import type { CommandsResult, IdentificationSnapshot, Transition } from '../workflows/messages.ts'
import { applyCommands, type CommandsInput } from './command.ts'
import type { ActivityDeps } from './deps.ts'
import { causeOf } from './fact-cause.ts'

interface IdentificationRef {
  readonly id: string
  readonly vaultId: string
}

interface FactInput extends IdentificationRef {
  readonly fact: IdentificationFact
  /** The version of the state that the workflow holds. */
  readonly version: number
}

/** What a command's row may say beside what its kind says. */
interface Particulars {
  readonly reason?: string
  readonly notes?: string
  readonly reasonCode?: string
  readonly clientComment?: string
  readonly internalNote?: string
}

export function createIdentificationActivities({ db, temporal, dispatcher }: ActivityDeps) {
  /** Writes the record after a transition with everything that follows from it; gives the logs to send. */
  async function write(
    tx: Database,
    before: Identification,
    after: Identification,
    events: readonly GatehouseEvent[],
    entry: Pick<
      Parameters<typeof appendTimeline>[1],
      'action' | 'actor' | 'causeId' | 'reasonCode' | 'notes'
    >,
  ): Promise<string[]> {
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
    await saveIdentification(tx, after)
    await saveHolds(tx, before, after, entry.actor)
    return insertWebhookLogs(tx, before.vaultId, events)
  }

  /** A review that has ended goes before a closing, although its fact has not arrived yet. */
  async function followReview(
    tx: Database,
    before: Identification,
    webhookLogIds: string[],
  ): Promise<Identification> {
    const review = await lockReviewOf(tx, before.vaultId, before.id)
    const { outcome } = review ?? {}
    if (review?.status !== 'processed' || !outcome || outcome === 'revision_requested') return before
    // The same id as the fact will have, so that it has no effect when it arrives.
    const fact = { id: reviewFactId(review.id), kind: 'kyb_processed', outcome } as const
    const { record, events } = followFact(before, fact)
    if (record === before) return before
    const entry = { action: fact.kind, actor: 'system', causeId: fact.id }
    webhookLogIds.push(...(await write(tx, before, record, events, entry)))
    return record
  }

  const apply = (webhookLogIds: string[]) => async (tx: Database, read: Identification, row: Command) => {
    const { actor } = row
    if (read.erasedAt) return { problems: [{ code: 'identification_erased' }] as const }
    const overtaken = row.kind === 'close' && read.state.awaitsKyb
    const before = overtaken ? await followReview(tx, read, webhookLogIds) : read
    const particulars = row.payload as Particulars
    const command = { kind: row.kind, ...particulars } as IdentificationCommand
    const result = transitionIdentification(before, command, { newId })
    if ('problems' in result) return result
    // Blocking what is blocked already changes nothing.
    if (result.record === before) return before
    const opened = result.record.state.holds.filter(
      ({ id }) => !before.state.holds.some((hold) => hold.id === id),
    )
    for (const hold of opened) {
      const { reason = 'client_request', notes = null } = particulars
      await insertHold(tx, { ...hold, identificationId: before.id, reason, notes, openedBy: actor })
    }
    const after = { ...result.record, review: reviewOf(command, particulars) ?? before.review }
    const notes = {
      ...(particulars.clientComment && { client_comment: particulars.clientComment }),
      ...(particulars.internalNote && { internal_note: particulars.internalNote }),
      ...(particulars.notes && { internal_note: particulars.notes }),
    }
    const written = await write(tx, before, after, result.events, {
      action: command.kind,
      actor,
      causeId: row.id,
      reasonCode: particulars.reasonCode ?? particulars.reason,
      notes: Object.keys(notes).length > 0 ? notes : undefined,
    })
    webhookLogIds.push(...written)
    return after
  }

  return {
    async applyIdentificationCommands(input: CommandsInput): Promise<CommandsResult<IdentificationSnapshot>> {
      const webhookLogIds: string[] = []
      const target = {
        lock: lockIdentification,
        stateOf: ({ state, kind, origin }: Identification) => identificationSnapshot({ state, kind, origin }),
        resultOf: ({ state }: Identification) => ({ status: identificationStatus(state) }),
        apply: apply(webhookLogIds),
      }
      const result = await applyCommands(db, target, input)
      dispatcher.add(webhookLogIds)
      return result
    },

    /** Follows a fact once; a fact that comes twice or too late changes nothing but the timeline. */
    async applyIdentificationFact(input: FactInput): Promise<Transition<IdentificationSnapshot>> {
      const { id, vaultId, fact } = input
      let webhookLogIds: string[] = []
      const result = await transaction(db, async (tx): Promise<Transition<IdentificationSnapshot>> => {
        const before = await lockIdentification(tx, vaultId, id)
        if (!before) throw new Error('the identification of a workflow is not in the database')
        if (before.state.version !== input.version)
          return { outcome: 'stale', state: identificationSnapshot(before) }
        // The same fact has its effect once, whatever it says the second time.
        if (await isInTimeline(tx, id, fact.id))
          return { outcome: 'applied', state: identificationSnapshot(before) }
        // What is erased stays as it is, whatever is still told of it.
        const caused = before.erasedAt ? null : await causeOf(tx, before, fact)
        const { record, events } = caused ? followFact(before, caused.fact) : { record: before, events: [] }
        if (record === before) {
          await appendTimeline(tx, {
            vaultId,
            entity: 'identification',
            entityId: id,
            action: `${fact.kind}_without_effect`,
            actor: 'system',
            from: identificationStatus(before.state),
            to: identificationStatus(before.state),
            causeId: fact.id,
          })
          if (fact.kind === 'case_opened') await dropUnappliedHold(tx, id, fact.caseId)
          return { outcome: 'applied', state: identificationSnapshot(before) }
        }
        webhookLogIds = await write(tx, before, record, events, {
          action: fact.kind,
          actor: caused?.actor ?? 'system',
          causeId: fact.id,
          reasonCode: fact.kind === 'case_opened' ? fact.reason : undefined,
        })
        return { outcome: 'applied', state: identificationSnapshot(record) }
      })
      dispatcher.add(webhookLogIds)
      return result
    },

    async recordMalformedFact({
      id,
      vaultId,
      factId,
    }: IdentificationRef & { factId: string }): Promise<void> {
      await appendTimeline(db, {
        vaultId,
        entity: 'identification',
        entityId: id,
        action: 'malformed_fact',
        actor: 'system',
        causeId: factId,
      })
    },

    async loadIdentification({
      id,
      vaultId,
    }: IdentificationRef): Promise<Transition<IdentificationSnapshot>> {
      const state = await readIdentificationSnapshot(db, vaultId, id)
      if (!state) throw new Error('the identification of a workflow is not in the database')
      return { outcome: 'applied', state }
    },

    /** Tells the company's application, if there is one, that its identification was closed. */
    tellKybApplication: (ref: IdentificationRef): Promise<void> => tellClosing(db, temporal, ref),
  }
}

const OUTCOMES: Partial<Record<IdentificationCommand['kind'], string>> = {
  approve: 'approved',
  reject: 'rejected',
  call_attention: 'attention',
  request_information: 'initiated',
}

function reviewOf({ kind }: IdentificationCommand, { reasonCode, clientComment }: Particulars) {
  const outcome = OUTCOMES[kind]
  if (outcome === undefined || reasonCode === undefined) return null
  return {
    outcome,
    reasonCode,
    clientComment: clientComment ?? null,
    decidedAt: Math.floor(Date.now() / 1000),
  }
}
