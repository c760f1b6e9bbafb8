/** Use cases for creating an application with its company's identification and account in one transaction. */

import { v7 as newId } from 'uuid'
import { readCurrentForm } from '../../db/access/profile.ts'
import { timelineInsert } from '../../db/commands/timeline.ts'
import { type Database, runOneStatement, transaction } from '../../db/connection/database.ts'
import { violatedConstraint } from '../../db/connection/failure.ts'
import { addressesOf, insertPersonLinks } from '../../db/email/person-notice.ts'
import { insertKybApplication } from '../../db/save/kyb-application.ts'
import { webhookLogInsert } from '../../db/webhooks/outbox.ts'
import { type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import type { VerificationLink } from '../../domain/identification/link.ts'
import type { KybState } from '../../domain/kyb/application.ts'
import { editContent, type KybPatch } from '../../domain/kyb/edit.ts'
import { completedEvent } from '../../domain/kyb/events.ts'
import { emptyContent } from '../../domain/kyb/fields.ts'
import { circumstancesOf, type KybApplication } from '../../domain/kyb/record.ts'
import { currentlyDue } from '../../domain/kyb/requirements.ts'
import { changedContentPaths } from '../../domain/review/changed-paths.ts'
import { newPassword } from '../../storage/random.ts'
import { type Caller, requireVault } from '../access/caller.ts'
import { canSendEmails } from '../access/vaults.ts'
import type { Deps } from '../base/deps.ts'
import type { Commit } from '../base/effect.ts'
import { rethrowWithHolder, takenId } from './external-uuid.ts'
import { newIdentification } from './identification.ts'

interface KybCreation {
  readonly vaultId: string
  readonly externalId: string
  readonly clientKyc: boolean
  readonly internal: boolean
  readonly sections: KybPatch
  readonly actor: string
  readonly origin: 'kyb_application' | 'hosted'
  /** Whether the deployment sends emails. */
  readonly sendsEmails?: boolean
}

export interface CreatedKyb {
  readonly id: string
  /** Shown only once, because only its hash is stored. */
  readonly password: string
  readonly application: Omit<KybApplication, 'policy'>
}

/**
 * Creates an application. Throws RequestRefused with all problems of the sections, or if the external ID is
 * taken.
 */
export async function createKyb(
  { config, notifier, creating }: Pick<Deps, 'config' | 'notifier' | 'creating'>,
  caller: Caller,
  vaultId: string | undefined,
  asked: Omit<KybCreation, 'vaultId' | 'actor' | 'origin' | 'sendsEmails'>,
  effect: Commit<CreatedKyb>,
): Promise<CreatedKyb> {
  const { actor } = caller
  const ofCaller = requireVault(caller, 'api_write', vaultId)
  const sendsEmails = canSendEmails(config)
  const creation = { ...asked, vaultId: ofCaller, actor, origin: 'kyb_application', sendsEmails } as const
  const created = await creating.run({ vaultId: ofCaller, caller: actor }, () =>
    effect.commit((tx) =>
      insertKyb(tx, creation).catch((error) =>
        rethrowWithHolder(error, tx, ofCaller, 'external_id', creation.externalId),
      ),
    ),
  )
  notifier.notify([created.id])
  return created
}

createKyb.refuses = [
  'external_id_taken',
  'unknown_file',
  'unknown_beneficiary',
  'duplicate_beneficiary',
] as const satisfies Refusals

/**
 * Inserts an application. Throws RequestRefused with all problems of the sections, or if the external ID is
 * taken.
 */
export async function insertKyb(
  db: Database,
  creation: KybCreation,
  link?: VerificationLink,
): Promise<CreatedKyb> {
  const patch = { kind: 'patch', patch: creation.sections } as const
  const form = await readCurrentForm(db, creation.vaultId)
  const edited = editContent(emptyContent(), patch, { form, uploaded: new Set(), newId })
  if ('problems' in edited) throw new RequestRefused(...edited.problems)
  const created = { ...edited, form, checks: new Map(), unreadable: new Set<string>() }
  const due = currentlyDue(edited.content, circumstancesOf(created, new Date()))
  const changedPaths = changedContentPaths(form, emptyContent(), edited.content)
  const state: KybState = {
    status: 'open',
    completed: due.length === 0,
    correcting: false,
    unsubmitted: false,
    version: 1,
    pending: null,
  }
  const id = newId()
  const password = newPassword()
  const { vaultId, externalId, clientKyc, internal, actor, origin, sendsEmails } = creation
  // Beneficiaries need a second statement, and therefore a transaction.
  const written = edited.content.beneficiaries.beneficiaries_list.length > 0 ? transaction : runOneStatement

  try {
    return await written(db, async (tx) => {
      const identification = newIdentification(
        tx,
        {
          vaultId,
          externalUuid: externalId,
          kind: 'company',
          origin,
          profile: {},
          state: { verification: 'initiated', waitingOn: 'client', awaitsKyb: true },
          actor,
        },
        link,
      )
      const row = { id, identificationId: identification.id, externalId, state }
      const entry = { action: 'created', actor, to: 'open', ...changedPaths, causeId: 'created' }
      const application = await insertKybApplication(
        tx,
        { ...row, vaultId, clientKyc, internal, form, content: edited.content, currentlyDue: due, password },
        [
          ...identification.inserts,
          timelineInsert(tx, { entity: 'kyb', id, vaultId }, entry),
          ...(state.completed ? [webhookLogInsert(tx, vaultId, [completedEvent(row)])] : []),
        ],
      )
      if (sendsEmails) await insertPersonLinks(tx, application, addressesOf(edited.content))
      return { id, password, application }
    })
  } catch (error) {
    const constraint = violatedConstraint(error)
    if (constraint === 'identifications_external_uuid' || constraint === 'kyb_applications_external_id') {
      throw takenId('external_id')
    }
    // If another account has the same random referral code, the next attempt uses a new one.
    if (constraint === 'accounts_referral_unique') return insertKyb(db, creation, link)
    throw error
  }
}
