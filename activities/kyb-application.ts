/** Activities for the workflow of a KYB application. */

import { v7 as newId } from 'uuid'
import type { LockedCommand } from '../src/db/cases/command.ts'
import { attachFile } from '../src/db/cases/file.ts'
import { isIdentificationClosed } from '../src/db/cases/identification.ts'
import { getKybApplicationForUpdate } from '../src/db/cases/kyb-application.ts'
import { removedBeneficiaries, saveKybApplication } from '../src/db/cases/kyb-application-save.ts'
import { insertFact, settleFact } from '../src/db/cases/pending-fact.ts'
import { kybSnapshot, readKybSnapshot } from '../src/db/cases/snapshot.ts'
import { appendTimeline, untrueCauseId } from '../src/db/cases/timeline.ts'
import { type Database, transaction } from '../src/db/connection/database.ts'
import { insertWebhookLogs } from '../src/db/webhooks/outbox.ts'
import { storedKind } from '../src/domain/base/fact.ts'
import type { Ref } from '../src/domain/entity/entity.ts'
import {
  beneficiaryChanged,
  beneficiaryRemoved,
  type IdentificationFact,
  reviewFinished,
} from '../src/domain/identification/identification.ts'
import {
  beneficiaryVerified,
  decideKyb,
  type KybFact,
  type KybSnapshot,
  parseKybFact,
} from '../src/domain/kyb/application.ts'
import { namedFiles } from '../src/domain/kyb/content.ts'
import type { KybApplication } from '../src/domain/kyb/record.ts'
import { beneficiaryPath } from '../src/domain/kyb/requirements.ts'
import { transitionKyb, transitionOnKybFact } from '../src/domain/kyb/transition.ts'
import { changedKybPaths } from '../src/domain/review/changed-paths.ts'
import { sendFacts, trySendFacts } from '../src/temporal/facts.ts'
import type { KybApplicationActivities, Transition } from '../workflows/activities.ts'
import { applyCommands } from './command.ts'
import { droppedBy, entriesOf } from './decision-entries.ts'
import type { ActivityDeps } from './deps.ts'
import { recordMalformedFact } from './fact-cause.ts'
import { removeFiles } from './removed-files.ts'
import { inFactSpan } from './spans.ts'

export function createKybApplicationActivities({
  db,
  blobs,
  temporal,
  dispatcher,
  screening,
  log,
}: ActivityDeps): KybApplicationActivities {
  /** Work to do after the commit. */
  interface AfterCommit {
    webhookLogIds: string[]
    /** True if beneficiaries were removed or replaced, so that their checks must end. */
    hasFacts: boolean
    /** True if the application is complete and not screened yet. */
    isUnscreened: boolean
    erasedFiles: string[]
  }

  const apply =
    (after: AfterCommit) => async (tx: Database, application: KybApplication, row: LockedCommand<'kyb'>) => {
      const { command, actor } = row
      // After an identification is closed, its application is abandoned a moment later. No decision is allowed in
      // between.
      if (await isIdentificationClosed(tx, application.vaultId, application.identificationId)) {
        const refusal = decideKyb({ ...application.state, status: 'abandoned' }, command.kind)
        if (refusal) return { problems: [refusal] }
      }
      const files = new Map(application.files)
      if (command.kind === 'attach') files.set(command.fileId, NO_DETAILS)
      const before = { ...application, files }
      const result = transitionKyb(before, command, { now: new Date(), newId, actor })
      if ('problems' in result) return result
      // The command changes nothing, for example because the values are the same.
      if (result.record === before) return { record: application }
      if (
        command.kind === 'attach' &&
        !(await attachFile(tx, { kybApplicationId: application.id }, command.fileId))
      ) {
        return { problems: [{ code: 'unknown_file' }] as const }
      }
      const { record, events } = result
      const named = namedFiles(record.form, record.content)
      const { renewed, erasedFiles } = await saveKybApplication(tx, application, record)
      after.erasedFiles.push(...erasedFiles)
      for (const entry of entriesOf(application, record, row, changedKybPaths(application, record)))
        await appendTimeline(tx, { ...entry, ...turnOf(application, record) })
      for (const personId of renewed.keys())
        await appendTimeline(tx, {
          action: 'verification_ended',
          actor: 'system',
          causeId: `${row.id}:${personId}`,
          fields: [beneficiaryPath(personId, 'full_name')],
          ...turnOf(application, record),
        })
      after.isUnscreened = record.state.completed && record.screenedWith === null
      const gone = removedBeneficiaries(peopleOf(application), peopleOf(record))
      after.hasFacts ||= gone.length + renewed.size > 0
      const checkOf = (personId: string) => application.links.get(personId)?.checkId ?? personId
      const ended = [
        ...gone.map((personId) => [checkOf(personId), beneficiaryRemoved] as const),
        ...[...renewed.keys()].map((personId) => [checkOf(personId), beneficiaryChanged] as const),
      ]
      await insertFacts(
        tx,
        record,
        ended.map(([checkId, factOf]) => [checkId, factOf(checkId)] as const),
      )
      after.webhookLogIds.push(...(await insertWebhookLogs(tx, application.vaultId, events)))
      return {
        record: {
          ...record,
          files: new Map([...files].filter(([file]) => named.has(file))),
          links: new Map([...record.links, ...renewed]),
        },
      }
    }

  /** Runs the work after the commit. Housekeeping completes any work that fails here. */
  async function finish(
    { webhookLogIds, hasFacts, isUnscreened, erasedFiles }: AfterCommit,
    { id, vaultId }: Ref,
  ): Promise<void> {
    dispatcher.notify(webhookLogIds)
    if (hasFacts) await trySendFacts({ db, temporal, log }, id)
    await removeFiles({ db, blobs }, erasedFiles).catch((err) =>
      log.warn({ err }, 'erased files were not deleted; housekeeping will delete them'),
    )
    // Does not wait for the screening, because the sender of the command would have to wait, too.
    if (isUnscreened) void screening.screen({ entity: 'kyb', id, vaultId })
  }

  return {
    async applyKybCommands(input) {
      const after: AfterCommit = {
        webhookLogIds: [],
        hasFacts: false,
        isUnscreened: false,
        erasedFiles: [],
      }
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
      await finish(after, input)
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
      const apply = async (tx: Database): Promise<Transition<KybSnapshot>> => {
        const before = await getKybApplicationForUpdate(tx, vaultId, id)
        if (!before) throw new Error('the application of the workflow is not in the database')
        if (before.state.version !== version) return { outcome: 'stale', state: kybSnapshot(before) }
        await settleFact(tx, fact)
        // Checks each fact against the database, because every client of Temporal can send messages.
        const isTrue =
          fact.kind === 'company_closed'
            ? await isIdentificationClosed(tx, vaultId, before.identificationId)
            : !isUnverified(before, fact)
        const { record, events } = isTrue
          ? transitionOnKybFact(before, fact, new Date())
          : { record: before, events: [] }
        const isNew = await appendTimeline(tx, {
          vaultId,
          entity: 'kyb',
          entityId: id,
          action: storedKind(fact.kind) + (record === before ? '_without_effect' : ''),
          actor: 'system',
          from: before.state.status,
          to: record.state.status,
          causeId: isTrue ? fact.id : untrueCauseId(fact.id),
        })
        if (record === before || !isNew) return { outcome: 'applied', state: kybSnapshot(before) }
        for (const entry of droppedBy(before, record, fact.id))
          await appendTimeline(tx, { ...entry, ...turnOf(before, record) })
        await saveKybApplication(tx, before, record)
        webhookLogIds = await insertWebhookLogs(tx, vaultId, events)
        isUnscreened = record.state.completed && record.screenedWith === null
        return { outcome: 'applied', state: kybSnapshot(record) }
      }
      const target = { entity: 'kyb', id, vaultId } as const
      const result = await inFactSpan(db, 'apply fact', target, fact, (own) => transaction(own, apply))
      if (isUnscreened) void screening.screen({ entity: 'kyb', id, vaultId })
      dispatcher.notify(webhookLogIds)
      return result
    },

    async loadKybApplication({ id, vaultId }) {
      const state = await readKybSnapshot(db, vaultId, id)
      if (!state) throw new Error('the application of the workflow is not in the database')
      return { outcome: 'applied', state }
    },

    signalKybProcessed: ({ id }) => sendFacts(db, temporal, id),
  }
}

/** Stands in for the details of files, because the rules need only their IDs. */
const NO_DETAILS = { name: '', size: 0, contentType: '', sha256: '', warnings: [] }

/** Inserts the facts that follow from the current state of the application. */
async function insertFacts(
  tx: Database,
  { id, vaultId, identificationId, state, review }: KybApplication,
  ended: readonly (readonly [checkId: string, fact: IdentificationFact])[],
): Promise<void> {
  const target = (of: string) => ({ entity: 'identification', id: of, vaultId }) as const
  for (const [checkId, fact] of ended) await insertFact(tx, id, target(checkId), fact)
  const outcome = state.status === 'processed' && review ? review.outcome : 'revision_requested'
  if (outcome !== 'revision_requested')
    await insertFact(tx, id, target(identificationId), reviewFinished(id, outcome))
}

const peopleOf = ({ content }: KybApplication) => content.beneficiaries.beneficiaries_list

/** Returns true if the fact reports the verification of a person who is not verified. */
const isUnverified = ({ links }: KybApplication, fact: KybFact): boolean =>
  [...links.values()].some(
    ({ checkId, verification }) => beneficiaryVerified(checkId).id === fact.id && verification !== 'approved',
  )

const turnOf = (before: KybApplication, after: KybApplication) => ({
  vaultId: before.vaultId,
  entity: 'kyb' as const,
  entityId: before.id,
  from: before.state.status,
  to: after.state.status,
})
