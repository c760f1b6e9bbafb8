/** Creates an application with its company's identification and account, in one transaction. */
import { v7 as newId } from 'uuid'
import { RequestRefused } from '../domain/errors.ts'
import type { GatehouseEvent } from '../domain/events.ts'
import type { KybState } from '../domain/kyb-application.ts'
import { editContent, type KybPatch } from '../domain/kyb-content.ts'
import { emptyContent } from '../domain/kyb-fields.ts'
import { completedEvent } from '../domain/kyb-transition.ts'
import { currentlyDue } from '../domain/requirements.ts'
import { newPassword, newReferral } from '../storage/random.ts'
import { type Database, transaction, violatedConstraint } from './database.ts'
import { insertIdentification } from './identification.ts'
import { findKybApplication, insertKybApplication, type KybApplication } from './kyb-application.ts'
import { appendTimeline } from './timeline.ts'
import { insertWebhookLogs } from './webhook-log.ts'

export interface KybCreation {
  readonly vaultId: string
  readonly externalId: string
  readonly clientKyc: boolean
  readonly internal: boolean
  readonly sections: KybPatch
  readonly actor: string
}

export interface CreatedKyb {
  readonly id: string
  readonly identificationId: string
  /** Shown once: only its hash is kept. */
  readonly password: string
  readonly webhookLogIds: readonly string[]
  readonly application: KybApplication
}

/** Throws RequestRefused with every problem of the sections, or when the external id is taken. */
export async function createKyb(db: Database, creation: KybCreation): Promise<CreatedKyb> {
  const patch = { kind: 'patch', patch: creation.sections } as const
  const edited = editContent(emptyContent(), patch, { uploaded: new Set(), newId })
  if ('problems' in edited) throw new RequestRefused(...edited.problems)
  const due = currentlyDue(edited.content, new Set())
  const state: KybState = { status: 'open', completed: due.length === 0, correcting: false, version: 1 }
  const application = { id: newId(), identificationId: newId(), externalId: creation.externalId, state }
  const account = { id: newId(), referral: newReferral() }
  const password = newPassword()
  const { vaultId, externalId, clientKyc, internal, actor } = creation
  const { id, identificationId } = application

  try {
    return await transaction(db, async (tx) => {
      await insertIdentification(tx, {
        id: identificationId,
        vaultId,
        externalUuid: externalId,
        kind: 'company',
        state: { verification: 'initiated', version: 1 },
        account,
      })
      await insertKybApplication(tx, {
        ...application,
        vaultId,
        externalId,
        clientKyc,
        internal,
        content: edited.content,
        currentlyDue: due,
        password,
      })
      const created = { vaultId, action: 'created', actor, causeId: 'created' }
      await appendTimeline(tx, { ...created, entity: 'kyb', entityId: id, to: 'open' })
      await appendTimeline(tx, {
        ...created,
        entity: 'identification',
        entityId: identificationId,
        to: 'initiated',
      })
      const identification = { identification_uuid: identificationId, version: 1 }
      const events: GatehouseEvent[] = [
        {
          name: 'identification_created',
          attributes: { ...identification, external_uuid: externalId, status: 'initiated' },
        },
        {
          name: 'account_created',
          attributes: { ...identification, account_uuid: account.id, status: 'active' },
        },
      ]
      if (state.completed) events.push(completedEvent(application))
      const webhookLogIds = await insertWebhookLogs(tx, vaultId, events)
      // Read here, so that the answer cannot fail once the application is there.
      const written = await findKybApplication(tx, vaultId, id)
      if (!written) throw new Error('an application that was just written is not there')
      return { id, identificationId, password, webhookLogIds, application: written }
    })
  } catch (error) {
    const constraint = violatedConstraint(error)
    if (constraint === 'identifications_external_uuid' || constraint === 'kyb_applications_external_id') {
      throw new RequestRefused({ code: 'external_id_taken', field: 'external_id' })
    }
    // Somebody drew the same referral code: the next draw will be another one.
    if (constraint === 'accounts_referral_unique') return createKyb(db, creation)
    throw error
  }
}
