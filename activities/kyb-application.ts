/** What the workflow of a KYB application asks of the world. */
import { v7 as newId } from 'uuid'
import type { Command } from '../src/db/command.ts'
import { type Database, transaction } from '../src/db/database.ts'
import { attachFile, deleteUnattachedFiles, detachFiles } from '../src/db/file.ts'
import { isClosed } from '../src/db/identification.ts'
import { type KybApplication, lockKybApplication, saveKybApplication } from '../src/db/kyb-application.ts'
import { kybSnapshot, readKybSnapshot } from '../src/db/snapshot.ts'
import { appendTimeline } from '../src/db/timeline.ts'
import { insertWebhookLogs } from '../src/db/webhook-outbox.ts'
import { type KybFact, OUTCOME_OF } from '../src/domain/kyb-application.ts'
import { namedFiles } from '../src/domain/kyb-content.ts'
import { type KybCommand, transitionKyb } from '../src/domain/kyb-transition.ts'
import { tellReview } from '../src/temporal/facts.ts'
import type { CommandsResult, KybSnapshot, Transition } from '../workflows/messages.ts'
import { applyCommands, type CommandsInput } from './command.ts'
import type { ActivityDeps } from './deps.ts'

interface KybRef {
  readonly id: string
  readonly vaultId: string
}

export function createKybApplicationActivities({ db, blobs, temporal, dispatcher, log }: ActivityDeps) {
  /** What waits for the commit: events to deliver, and files that nothing names any more. */
  interface AfterCommit {
    webhookLogIds: string[]
    detached: string[]
  }

  const apply = (after: AfterCommit) => async (tx: Database, application: KybApplication, row: Command) => {
    const command = { kind: row.kind, ...(row.payload as object) } as KybCommand
    // The application hears of a closing a moment later; a decision that comes first must not stand.
    if (await isClosed(tx, application.vaultId, application.identificationId)) {
      const status = OUTCOME_OF[command.kind] === undefined ? 403 : 422
      return { problems: [{ code: 'kyb_abandoned', status }] as const }
    }
    const files = new Map(application.files)
    if (command.kind === 'attach') files.set(command.fileId, '')
    const result = transitionKyb({ ...application, files }, command, { now: new Date(), newId })
    if ('problems' in result) return result
    if (command.kind === 'attach' && !(await attachFile(tx, application.id, command.fileId))) {
      return { problems: [{ code: 'unknown_file' }] as const }
    }
    const { record, events } = result
    const named = namedFiles(record.content)
    const detached = [...files.keys()].filter((file) => !named.has(file))
    await detachFiles(tx, detached)
    await saveKybApplication(tx, application, record)
    await appendTimeline(tx, timelineEntry(application, record, command, row))
    after.detached.push(...detached)
    after.webhookLogIds.push(...(await insertWebhookLogs(tx, application.vaultId, events)))
    return { ...record, files: new Map([...files].filter(([file]) => named.has(file))) }
  }

  /** The commit stands whatever happens here: housekeeping finds what is left. */
  async function finish({ webhookLogIds, detached }: AfterCommit): Promise<void> {
    dispatcher.add(webhookLogIds)
    try {
      await Promise.all(detached.map((file) => blobs.remove(file)))
      await deleteUnattachedFiles(db, detached)
    } catch (err) {
      log.warn({ err }, 'detached files were left to housekeeping')
    }
  }

  return {
    async applyKybCommands(input: CommandsInput): Promise<CommandsResult<KybSnapshot>> {
      const after: AfterCommit = { webhookLogIds: [], detached: [] }
      const target = {
        lock: lockKybApplication,
        stateOf: kybSnapshot,
        resultOf: ({ state }: KybApplication) => ({ status: state.status }),
        apply: apply(after),
      }
      const result = await applyCommands(db, target, input)
      await finish(after)
      return result
    },

    /** Abandons an application whose identification was closed; one that has ended stays as it is. */
    async applyKybFact(input: KybRef & { fact: KybFact; version: number }): Promise<Transition<KybSnapshot>> {
      const { id, vaultId, fact: closed, version } = input
      return transaction(db, async (tx): Promise<Transition<KybSnapshot>> => {
        const before = await lockKybApplication(tx, vaultId, id)
        if (!before) throw new Error('the application of a workflow is not in the database')
        if (before.state.version !== version) return { outcome: 'stale', state: kybSnapshot(before) }
        const open = before.state.status === 'open'
        const entry = {
          vaultId,
          entity: 'kyb',
          entityId: id,
          action: open ? closed.kind : `${closed.kind}_without_effect`,
          actor: 'system',
          from: before.state.status,
          to: open ? 'abandoned' : before.state.status,
          causeId: closed.id,
        } as const
        const isNew = await appendTimeline(tx, entry)
        if (!open || !isNew) return { outcome: 'applied', state: kybSnapshot(before) }
        const state = { ...before.state, status: 'abandoned', version: version + 1 } as const
        const after = { ...before, state }
        await saveKybApplication(tx, before, after)
        return { outcome: 'applied', state: kybSnapshot(after) }
      })
    },

    async recordMalformedKybFact({ id, vaultId, factId }: KybRef & { factId: string }): Promise<void> {
      await appendTimeline(db, {
        vaultId,
        entity: 'kyb',
        entityId: id,
        action: 'malformed_fact',
        actor: 'system',
        causeId: factId,
      })
    },

    async loadKybApplication({ id, vaultId }: KybRef): Promise<Transition<KybSnapshot>> {
      const state = await readKybSnapshot(db, vaultId, id)
      if (!state) throw new Error('the application of a workflow is not in the database')
      return { outcome: 'applied', state }
    },

    /** Tells the company's identification how the review ended; the same fact may arrive twice. */
    tellIdentification: (ref: KybRef): Promise<void> => tellReview(db, temporal, ref),
  }
}

function timelineEntry(before: KybApplication, after: KybApplication, command: KybCommand, row: Command) {
  const decision = 'reasonCode' in command ? command : null
  const notes = decision && {
    ...(decision.clientComment && { client_comment: decision.clientComment }),
    ...(decision.internalNote && { internal_note: decision.internalNote }),
  }
  return {
    vaultId: before.vaultId,
    entity: 'kyb',
    entityId: before.id,
    action: command.kind,
    actor: row.actor,
    from: before.state.status,
    to: after.state.status,
    reasonCode: decision?.reasonCode,
    notes: notes && Object.keys(notes).length > 0 ? notes : undefined,
    causeId: row.id,
  } as const
}
