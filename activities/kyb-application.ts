/** What the workflow of a KYB application asks of the world. */

import { v7 as newId } from 'uuid'
import type { LockedCommand } from '../src/db/cases/command.ts'
import { attachFile, detachFiles } from '../src/db/cases/file.ts'
import { isClosed } from '../src/db/cases/identification.ts'
import { getKybApplicationForUpdate } from '../src/db/cases/kyb-application.ts'
import { goneBeneficiaries, saveKybApplication } from '../src/db/cases/kyb-application-save.ts'
import { kybSnapshot, readKybSnapshot } from '../src/db/cases/snapshot.ts'
import { appendTimeline, untrue } from '../src/db/cases/timeline.ts'
import { type Database, transaction } from '../src/db/connection/database.ts'
import { insertWebhookLogs } from '../src/db/webhooks/outbox.ts'
import { touchedInKyb } from '../src/domain/decision/changed-paths.ts'
import {
  beneficiaryVerified,
  decideKyb,
  type KybFact,
  type KybSnapshot,
  parseKybFact,
} from '../src/domain/kyb/application.ts'
import { namedFiles } from '../src/domain/kyb/content.ts'
import type { KybApplication } from '../src/domain/kyb/record.ts'
import { followKybFact, transitionKyb } from '../src/domain/kyb/transition.ts'
import { signalBeneficiaryRemoved, signalKybProcessed } from '../src/temporal/facts.ts'
import type { KybApplicationActivities, Transition } from '../workflows/activities.ts'
import { applyCommands } from './command.ts'
import { droppedBy, entriesOf } from './decision-entries.ts'
import type { ActivityDeps } from './deps.ts'
import { recordMalformedFact } from './fact-cause.ts'

export function createKybApplicationActivities({
  db,
  temporal,
  dispatcher,
  screening,
  log,
}: ActivityDeps): KybApplicationActivities {
  /** What waits for the commit. */
  interface AfterCommit {
    webhookLogIds: string[]
    /** Ids of beneficiaries who were removed. */
    removed: string[]
    /** It is complete, and somebody in it was not screened yet. */
    isUnscreened: boolean
  }

  const apply =
    (after: AfterCommit) => async (tx: Database, application: KybApplication, row: LockedCommand<'kyb'>) => {
      const { command, actor } = row
      // The application follows the closing of its identification a moment later. Nothing may be decided in between.
      if (await isClosed(tx, application.vaultId, application.identificationId)) {
        const refusal = decideKyb({ ...application.state, status: 'abandoned' }, command.kind)
        if (refusal) return { problems: [refusal] }
      }
      const files = new Map(application.files)
      if (command.kind === 'attach') files.set(command.fileId, NO_DETAILS)
      const result = transitionKyb({ ...application, files }, command, { now: new Date(), newId, actor })
      if ('problems' in result) return result
      if (
        command.kind === 'attach' &&
        !(await attachFile(tx, { kybApplicationId: application.id }, command.fileId))
      ) {
        return { problems: [{ code: 'unknown_file' }] as const }
      }
      const { record, events } = result
      const named = namedFiles(record.content)
      await detachFiles(
        tx,
        [...files.keys()].filter((file) => !named.has(file)),
      )
      await saveKybApplication(tx, application, record)
      for (const entry of entriesOf(application, record, row, touchedInKyb(application, record)))
        await appendTimeline(tx, { ...entry, ...turnOf(application, record) })
      after.isUnscreened = record.state.completed && record.screenedWith === null
      after.removed.push(...goneBeneficiaries(peopleOf(application), peopleOf(record)))
      after.webhookLogIds.push(...(await insertWebhookLogs(tx, application.vaultId, events)))
      return { record: { ...record, files: new Map([...files].filter(([file]) => named.has(file))) } }
    }

  /** The commit stands whatever happens here: housekeeping finds what is left. */
  async function finish({ webhookLogIds, removed }: AfterCommit): Promise<void> {
    dispatcher.notify(webhookLogIds)
    try {
      await Promise.all(removed.map((id) => signalBeneficiaryRemoved(db, temporal, id)))
    } catch (err) {
      log.warn({ err }, 'what was removed was left to housekeeping')
    }
  }

  return {
    async applyKybCommands(input) {
      const after: AfterCommit = { webhookLogIds: [], removed: [], isUnscreened: false }
      const result = await applyCommands(
        db,
        {
          entity: 'kyb',
          lock: getKybApplicationForUpdate,
          snapshotOf: kybSnapshot,
          apply: apply(after),
        },
        input,
      )
      await finish(after)
      // Whoever sent it need not wait.
      if (after.isUnscreened) void screening.screen({ entity: 'kyb', id: input.id, vaultId: input.vaultId })
      return result
    },

    async applyKybFact({ id, vaultId, fact: message, malformedId, version }) {
      const fact = parseKybFact(message)
      if (!fact) {
        await recordMalformedFact(db, { entity: 'kyb', id, vaultId }, malformedId)
        return { outcome: 'applied', state: null }
      }
      let webhookLogIds: string[] = []
      let isUnscreened = false
      const result = await transaction(db, async (tx): Promise<Transition<KybSnapshot>> => {
        const before = await getKybApplicationForUpdate(tx, vaultId, id)
        if (!before) throw new Error('the application of a workflow is not in the database')
        if (before.state.version !== version) return { outcome: 'stale', state: kybSnapshot(before) }
        // A message only says where to look: whoever sends one by hand abandons nothing.
        const isSo =
          fact.kind === 'identification_closed'
            ? await isClosed(tx, vaultId, before.identificationId)
            : !isUnverified(before, fact)
        const { record, events } = isSo
          ? followKybFact(before, fact, new Date())
          : { record: before, events: [] }
        const isNew = await appendTimeline(tx, {
          vaultId,
          entity: 'kyb',
          entityId: id,
          action: record === before ? `${fact.kind}_without_effect` : fact.kind,
          actor: 'system',
          from: before.state.status,
          to: record.state.status,
          causeId: isSo ? fact.id : untrue(fact.id),
        })
        if (record === before || !isNew) return { outcome: 'applied', state: kybSnapshot(before) }
        for (const entry of droppedBy(before, record, fact.id))
          await appendTimeline(tx, { ...entry, ...turnOf(before, record) })
        await saveKybApplication(tx, before, record)
        webhookLogIds = await insertWebhookLogs(tx, vaultId, events)
        isUnscreened = record.state.completed && record.screenedWith === null
        return { outcome: 'applied', state: kybSnapshot(record) }
      })
      if (isUnscreened) void screening.screen({ entity: 'kyb', id, vaultId })
      dispatcher.notify(webhookLogIds)
      return result
    },

    async loadKybApplication({ id, vaultId }) {
      const state = await readKybSnapshot(db, vaultId, id)
      if (!state) throw new Error('the application of a workflow is not in the database')
      return { outcome: 'applied', state }
    },

    signalKybProcessed: (ref) => signalKybProcessed(db, temporal, ref),
  }
}

/** Rules ask only which files there are. */
const NO_DETAILS = { name: '', size: 0, contentType: '', sha256: '' }

const peopleOf = ({ content }: KybApplication) => content.beneficiaries.beneficiaries_list

/** Whether the fact is about somebody who is not verified. */
const isUnverified = (application: KybApplication, fact: KybFact): boolean =>
  peopleOf(application).some(
    ({ external_id: id }) => beneficiaryVerified(id).id === fact.id && !application.verified.has(id),
  )

const turnOf = (before: KybApplication, after: KybApplication) => ({
  vaultId: before.vaultId,
  entity: 'kyb' as const,
  entityId: before.id,
  from: before.state.status,
  to: after.state.status,
})
