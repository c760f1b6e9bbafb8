/** What the workflow of a KYB application asks of the world. */
import { v7 as newId } from 'uuid'
import type { Command } from '../src/db/command.ts'
import type { Database } from '../src/db/database.ts'
import { attachFile, deleteUnattachedFiles, detachFiles } from '../src/db/file.ts'
import { type KybApplication, lockKybApplication, saveKybApplication } from '../src/db/kyb-application.ts'
import { kybSnapshot, readIdentificationSnapshot, readKybSnapshot } from '../src/db/snapshot.ts'
import { appendTimeline } from '../src/db/timeline.ts'
import { insertWebhookLogs } from '../src/db/webhook-log.ts'
import { namedFiles } from '../src/domain/kyb-content.ts'
import { type KybCommand, transitionKyb } from '../src/domain/kyb-transition.ts'
import { signalEntity } from '../src/temporal/entities.ts'
import {
  type CommandsResult,
  fact,
  type IdentificationFact,
  type KybSnapshot,
  type Transition,
} from '../workflows/messages.ts'
import { applyCommands, type CommandsInput } from './command.ts'
import type { ActivityDeps } from './index.ts'

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
      const target = { lock: lockKybApplication, stateOf: kybSnapshot, apply: apply(after) }
      const result = await applyCommands(db, target, input)
      await finish(after)
      return result
    },

    async loadKybApplication({ id, vaultId }: KybRef): Promise<Transition<KybSnapshot>> {
      const state = await readKybSnapshot(db, vaultId, id)
      if (!state) throw new Error('the application of a workflow is not in the database')
      return { outcome: 'applied', state }
    },

    /** Tells the company's identification how the review ended; the same fact may arrive twice. */
    async tellIdentification({ id, vaultId }: KybRef): Promise<void> {
      const kyb = await readKybSnapshot(db, vaultId, id)
      const outcome = kyb?.review?.outcome
      if (kyb?.status !== 'processed' || outcome === undefined || outcome === 'revision_requested') return
      const state = await readIdentificationSnapshot(db, vaultId, kyb.identificationId)
      if (!state) throw new Error('the identification of an application is not in the database')
      const processed: IdentificationFact = { id: `kyb-processed-${id}`, kind: 'kyb_processed', outcome }
      const ref = { entity: 'identification', id: kyb.identificationId, vaultId } as const
      await signalEntity(temporal, ref, state, fact.name, [processed])
    },
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
