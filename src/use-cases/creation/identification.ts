/** Use cases for creating an identification of any origin with one statement. */

import { randomUUID } from 'node:crypto'
import { v7 as newId } from 'uuid'
import { findVault } from '../../db/access/vault.ts'
import { timelineInsert } from '../../db/commands/timeline.ts'
import { type Database, runOneStatement } from '../../db/connection/database.ts'
import { violatedConstraint } from '../../db/connection/failure.ts'
import { insertAll } from '../../db/connection/with-inserts.ts'
import { linkInserts } from '../../db/email/verification-link.ts'
import { identificationInserts } from '../../db/save/identification.ts'
import { webhookLogInsert } from '../../db/webhooks/outbox.ts'
import { type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import { creationEvents } from '../../domain/identification/events.ts'
import { type IdentificationState, identificationStatus } from '../../domain/identification/identification.ts'
import type { VerificationLink } from '../../domain/identification/link.ts'
import type { Identification } from '../../domain/identification/record.ts'
import { changedProfilePaths } from '../../domain/review/changed-paths.ts'
import { newReferral } from '../../storage/random.ts'
import { type Caller, requireVault } from '../access/caller.ts'
import type { Deps } from '../base/deps.ts'
import type { Commit } from '../base/effect.ts'
import { getRecord } from '../case/command.ts'
import { rethrowWithHolder, takenId } from './external-uuid.ts'

interface IdentificationCreation
  extends Pick<Identification, 'vaultId' | 'externalUuid' | 'kind' | 'origin' | 'profile'> {
  readonly state: Pick<IdentificationState, 'verification' | 'waitingOn' | 'awaitsKyb'>
  readonly actor: string
  /** The ID, if it is already known. */
  readonly id?: string
  /** The beneficiary, for a second or later check. */
  readonly beneficiaryId?: string
}

/**
 * Returns the ID and the statements that insert the identification, its first account (except for beneficiaries), its
 * timeline entry, its link and its events.
 */
export function newIdentification(
  tx: Database,
  { actor, id = newId(), ...creation }: IdentificationCreation,
  link?: VerificationLink,
) {
  const account = creation.origin === 'beneficiary' ? null : { id: newId(), referral: newReferral() }
  const state: IdentificationState = { ...creation.state, holds: [], version: 1, pending: null }
  const identification = { ...creation, id, state }
  const target = { entity: 'identification', id, vaultId: creation.vaultId } as const
  const entry = {
    action: 'created',
    actor,
    to: identificationStatus(state),
    ...changedProfilePaths({}, creation.profile),
    causeId: 'created',
  } as const
  return {
    id,
    inserts: [
      ...identificationInserts(tx, { ...identification, account }),
      timelineInsert(tx, target, entry),
      ...(link ? linkInserts(tx, { vaultId: creation.vaultId, identificationId: id }, link) : []),
      webhookLogInsert(
        tx,
        creation.vaultId,
        creationEvents({ ...identification, accounts: account ? [account] : [] }),
      ),
    ],
  }
}

/** The initial state of an identification, by its origin. */
const WAYS = {
  soft_kyc: { verification: 'initiated', waitingOn: 'provider' },
  import: { verification: 'approved', waitingOn: 'nobody' },
} as const

interface Details extends Pick<Identification, 'kind' | 'profile'> {
  /** If undefined, a new ID is generated. */
  readonly externalUuid: string | undefined
}

/**
 * Creates an identification. Throws `external_uuid_taken`, and `import_not_enabled` if the vault cannot import
 * identities.
 */
export async function createIdentification(
  { notifier, creating, db }: Pick<Deps, 'db' | 'notifier' | 'creating'>,
  caller: Caller,
  origin: keyof typeof WAYS,
  vaultId: string | undefined,
  { externalUuid = randomUUID(), ...details }: Details,
  effect: Commit<Identification>,
): Promise<Identification> {
  const { actor } = caller
  const ofCaller = requireVault(caller, 'api_write', vaultId)
  if (origin === 'import' && !(await findVault(db, ofCaller))?.importEnabled)
    throw new RequestRefused({ code: 'import_not_enabled' })
  const state = { ...WAYS[origin], awaitsKyb: false }
  const creation = { ...details, vaultId: ofCaller, externalUuid, origin, state, actor }
  const created = await creating.run({ vaultId: ofCaller, caller: actor }, () =>
    effect.commit(async (tx) => {
      const id = await insertIdentification(tx, creation).catch((error) =>
        rethrowWithHolder(error, tx, ofCaller, 'external_uuid', externalUuid),
      )
      return getRecord({ db: tx }, { entity: 'identification', id, vaultId: ofCaller })
    }),
  )
  notifier.notify([created.id])
  return created
}

createIdentification.refuses = {
  soft_kyc: ['external_uuid_taken'],
  import: ['import_not_enabled', 'external_uuid_taken'],
} as const satisfies Record<string, Refusals>

/**
 * Inserts an identification and returns its ID. Throws `external_uuid_taken` if another identification of the vault has
 * the external UUID.
 */
export async function insertIdentification(
  db: Database,
  creation: IdentificationCreation,
  link?: VerificationLink,
): Promise<string> {
  try {
    return await runOneStatement(db, async (tx) => {
      const { id, inserts } = newIdentification(tx, creation, link)
      await insertAll(tx, inserts)
      return id
    })
  } catch (error) {
    const constraint = violatedConstraint(error)
    if (constraint === 'identifications_external_uuid') throw takenId('external_uuid')
    // If another account has the same random referral code, the next attempt uses a new one.
    if (constraint === 'accounts_referral_unique') return insertIdentification(db, creation, link)
    throw error
  }
}
