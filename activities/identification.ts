/** What the workflow of an identification asks of the world. */
import { transaction } from '../src/db/database.ts'
import { lockIdentification, saveIdentificationState } from '../src/db/identification.ts'
import { identificationSnapshot, readIdentificationSnapshot } from '../src/db/snapshot.ts'
import { appendTimeline } from '../src/db/timeline.ts'
import { insertWebhookLogs } from '../src/db/webhook-log.ts'
import { type IdentificationFact, settleFact } from '../src/domain/identification.ts'
import type { IdentificationSnapshot, Transition } from '../workflows/messages.ts'
import type { ActivityDeps } from './index.ts'

interface IdentificationRef {
  readonly id: string
  readonly vaultId: string
}

interface FactInput extends IdentificationRef {
  readonly fact: IdentificationFact
  /** The version of the state that the workflow holds. */
  readonly version: number
}

export function createIdentificationActivities({ db, dispatcher }: ActivityDeps) {
  return {
    /** Follows a fact once; a fact that comes twice or too late changes nothing. */
    async applyIdentificationFact(input: FactInput): Promise<Transition<IdentificationSnapshot>> {
      const { id, vaultId, fact } = input
      let webhookLogIds: string[] = []
      const result = await transaction(db, async (tx): Promise<Transition<IdentificationSnapshot>> => {
        const before = await lockIdentification(tx, vaultId, id)
        if (!before) throw new Error('the identification of a workflow is not in the database')
        const { state } = before
        if (state.version !== input.version)
          return { outcome: 'stale', state: identificationSnapshot(before) }
        const to = settleFact(state, fact)
        const entry = {
          vaultId,
          entity: 'identification',
          entityId: id,
          action: to ? fact.kind : `${fact.kind}_without_effect`,
          actor: 'system',
          from: state.verification,
          to: to ?? state.verification,
          causeId: fact.id,
        } as const
        const isNew = await appendTimeline(tx, entry)
        if (!isNew || !to) return { outcome: 'applied', state: identificationSnapshot(before) }
        const next = { verification: to, version: state.version + 1 }
        await saveIdentificationState(tx, vaultId, id, next)
        webhookLogIds = await insertWebhookLogs(tx, vaultId, [
          {
            name: `identification_${fact.outcome}`,
            attributes: {
              identification_uuid: id,
              external_uuid: before.externalUuid,
              version: next.version,
              status: to,
            },
          },
        ])
        return { outcome: 'applied', state: identificationSnapshot({ ...before, state: next }) }
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
  }
}
