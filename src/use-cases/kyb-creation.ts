/** Creates an application with its company's identification and account, in one transaction. */
import { v7 as newId } from 'uuid'
import { type Database, transaction, violatedConstraint } from '../db/database.ts'
import { findKybApplication, type KybApplication } from '../db/kyb-application.ts'
import { insertKybApplication } from '../db/kyb-application-save.ts'
import { appendTimeline } from '../db/timeline.ts'
import { saveVerificationLink, type VerificationLink } from '../db/verification-link.ts'
import { insertWebhookLogs } from '../db/webhook-outbox.ts'
import { RequestRefused } from '../domain/errors.ts'
import type { KybState } from '../domain/kyb-application.ts'
import { editContent, type KybPatch } from '../domain/kyb-content.ts'
import { emptyContent } from '../domain/kyb-fields.ts'
import { currentlyDue } from '../domain/kyb-requirements.ts'
import { completedEvent } from '../domain/kyb-transition.ts'
import { newPassword } from '../storage/random.ts'
import { writeIdentification } from './identification-creation.ts'

interface KybCreation {
  readonly vaultId: string
  readonly externalId: string
  readonly clientKyc: boolean
  readonly internal: boolean
  readonly sections: KybPatch
  readonly actor: string
  readonly origin: 'kyb_application' | 'hosted'
}

interface CreatedKyb {
  readonly id: string
  readonly identificationId: string
  /** Shown once: only its hash is kept. */
  readonly password: string
  readonly webhookLogIds: readonly string[]
  readonly application: KybApplication
}

/** Throws RequestRefused with every problem of the sections, or when the external id is taken. */
export async function createKyb(
  db: Database,
  creation: KybCreation,
  link?: VerificationLink,
): Promise<CreatedKyb> {
  const patch = { kind: 'patch', patch: creation.sections } as const
  const edited = editContent(emptyContent(), patch, { uploaded: new Set(), newId })
  if ('problems' in edited) throw new RequestRefused(...edited.problems)
  const due = currentlyDue(edited.content, new Set())
  const state: KybState = { status: 'open', completed: due.length === 0, correcting: false, version: 1 }
  const id = newId()
  const password = newPassword()
  const { vaultId, externalId, clientKyc, internal, actor, origin } = creation

  try {
    return await transaction(db, async (tx) => {
      const identification = await writeIdentification(tx, {
        vaultId,
        externalUuid: externalId,
        kind: 'company',
        origin,
        profile: {},
        state: { verification: 'initiated', waitingOn: 'client', awaitsKyb: true },
        actor,
      })
      const application = { id, identificationId: identification.id, externalId, state }
      await insertKybApplication(tx, {
        ...application,
        vaultId,
        clientKyc,
        internal,
        content: edited.content,
        currentlyDue: due,
        password,
      })
      const entry = { vaultId, entity: 'kyb', entityId: id, action: 'created', actor, to: 'open' } as const
      await appendTimeline(tx, { ...entry, causeId: 'created' })
      if (link) await saveVerificationLink(tx, identification.id, link)
      const events = [...identification.events, ...(state.completed ? [completedEvent(application)] : [])]
      const webhookLogIds = await insertWebhookLogs(tx, vaultId, events)
      // Read here, so that the answer cannot fail once the application is there.
      const written = await findKybApplication(tx, vaultId, id)
      if (!written) throw new Error('an application that was just written is not there')
      return { id, identificationId: identification.id, password, webhookLogIds, application: written }
    })
  } catch (error) {
    const constraint = violatedConstraint(error)
    if (constraint === 'identifications_external_uuid' || constraint === 'kyb_applications_external_id') {
      throw new RequestRefused({ code: 'external_id_taken', field: 'external_id' })
    }
    // Somebody drew the same referral code: the next draw will be another one.
    if (constraint === 'accounts_referral_unique') return createKyb(db, creation, link)
    throw error
  }
}
