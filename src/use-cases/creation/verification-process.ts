/** Use cases for creating a hosted verification with its link, and for replacing the link of an unfinished one. */

import { randomUUID } from 'node:crypto'
import { v7 as newId } from 'uuid'
import { closePageSessions } from '../../db/access/page-session.ts'
import {
  findIdentificationByExternalUuid,
  getIdentificationForUpdate,
} from '../../db/cases/identification.ts'
import { findKybApplication, findKybOfIdentification } from '../../db/cases/kyb-application.ts'
import { replaceKybPassword } from '../../db/cases/kyb-password.ts'
import { appendTimeline } from '../../db/commands/timeline.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { getLinkExpiry, linkInserts } from '../../db/email/verification-link.ts'
import { type Problem, type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import { identificationStatus } from '../../domain/identification/identification.ts'
import type { VerificationLink } from '../../domain/identification/link.ts'
import type { Profile } from '../../domain/identification/profile.ts'
import type { Identification } from '../../domain/identification/record.ts'
import { decideKyb, type KybState } from '../../domain/kyb/application.ts'
import { newPassword, newToken } from '../../storage/random.ts'
import { type Caller, READ_AND_WRITE, requireVault } from '../access/caller.ts'
import { sendsEmails } from '../access/vaults.ts'
import type { Deps } from '../base/deps.ts'
import { type Commit, commitTogether } from '../base/effect.ts'
import { findTargetForClient } from '../case/entity-ref.ts'
import { insertKyb } from './application.ts'
import { isTakenId, refuseTakenId } from './external-uuid.ts'
import { insertIdentification } from './identification.ts'

interface VerificationProcess {
  readonly vaultId: string
  readonly externalUuid: string
  readonly type: 'kyc' | 'kyb'
  /** The applicant's data that the client provided. The form shows it, and the applicant can change it. */
  readonly entered: { readonly [F in 'email' | 'name' | 'surname']?: string | undefined }
  readonly caller: Caller
}

interface AskedProcess extends Pick<VerificationProcess, 'type' | 'entered'> {
  /** If undefined, a new ID is generated. */
  readonly externalUuid: string | undefined
  readonly redirectUrl: string | null
}

interface StartedProcess {
  readonly identificationId: string
  /** The ID of a new identification, or null if it already existed. */
  readonly created: string | null
  /** The password for a company's form, shown only once. Null for people. */
  readonly password: string | null
}

/** A link for an applicant. The password of a company's form is null unless it is new. */
export interface NewLink extends Pick<StartedProcess, 'password'> {
  readonly token: string
  readonly expiresAt: Date
}

export type StartedVerification = StartedProcess & NewLink

/**
 * Starts a verification or replaces its link. Throws RequestRefused if the external UUID belongs to a finished
 * verification or to one of another kind. Throws `insufficient_role` if it belongs to an unfinished verification that
 * the caller may not read.
 */
export async function startVerification(
  { config, db, notifier, creating }: Pick<Deps, 'config' | 'db' | 'notifier' | 'creating'>,
  caller: Caller,
  vaultId: string | undefined,
  { externalUuid = randomUUID(), redirectUrl, ...wanted }: AskedProcess,
  effect: Commit<StartedVerification>,
): Promise<StartedVerification> {
  const asked = { ...wanted, externalUuid, vaultId: requireVault(caller, 'api_write', vaultId), caller }
  const email = await addressFor({ config, db }, asked.vaultId, asked.entered.email)
  const link = { token: newToken(), redirectUrl, email }
  const { token } = link
  const started = await creating.run({ vaultId: asked.vaultId, caller: caller.actor }, () =>
    effect.commit(async (tx) => {
      const process = await startProcess(tx, asked, link)
      return { ...process, token, expiresAt: await getLinkExpiry(tx, process.identificationId) }
    }),
  )
  notifier.notify([started.identificationId])
  return started
}

/**
 * Returns the address for emails about the verification, or undefined if the vault or the deployment sends none. Null
 * removes the address in any case.
 */
export const addressFor = async <E extends string | null | undefined>(
  deps: Pick<Deps, 'config' | 'db'>,
  vaultId: string,
  email: E,
): Promise<E | undefined> => (email && !(await sendsEmails(deps, vaultId)) ? undefined : email)

startVerification.refuses = ['external_uuid_taken'] as const satisfies Refusals

async function startProcess(db: Database, process: VerificationProcess, link: VerificationLink) {
  try {
    return await (process.type === 'kyb' ? createCompany : createPerson)(db, process, link)
  } catch (error) {
    if (!isTakenId(error)) throw error
    return reissue(db, process, link)
  }
}

const withoutUndefined = (entered: VerificationProcess['entered']): Profile =>
  Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== undefined)) as Profile

async function createPerson(db: Database, process: VerificationProcess, link: VerificationLink) {
  const { vaultId, externalUuid, entered, caller } = process
  const created = await insertIdentification(
    db,
    {
      vaultId,
      externalUuid,
      kind: 'person',
      origin: 'hosted',
      profile: withoutUndefined(entered),
      state: { verification: 'initiated', waitingOn: 'applicant', awaitsKyb: false },
      actor: caller.actor,
    },
    link,
  )
  return { identificationId: created, created, password: null }
}

async function createCompany(db: Database, process: VerificationProcess, link: VerificationLink) {
  const { vaultId, externalUuid, entered, caller } = process
  const { id, password, application } = await insertKyb(
    db,
    {
      vaultId,
      externalId: externalUuid,
      clientKyc: false,
      internal: false,
      sections: entered.email === undefined ? {} : { nature_of_business: { email: entered.email } },
      actor: caller.actor,
      origin: 'hosted',
    },
    link,
  )
  return { identificationId: application.identificationId, created: id, password }
}

/** Replaces the link and password, which invalidates the earlier ones. */
async function reissue(
  db: Database,
  { vaultId, externalUuid, type, caller }: VerificationProcess,
  link: VerificationLink,
): Promise<StartedProcess> {
  return transaction(db, async (tx) => {
    const found = await findIdentificationByExternalUuid(tx, vaultId, externalUuid)
    const identification = found && (await getIdentificationForUpdate(tx, vaultId, found.id))
    const kind = type === 'kyb' ? 'company' : 'person'
    const same = identification?.origin === 'hosted' && identification.kind === kind
    if (!same || identificationStatus(identification.state) !== 'initiated')
      return refuseTakenId(tx, vaultId, 'external_uuid', externalUuid)
    const kyb = await findKybOfIdentification(tx, vaultId, identification.id)
    if (kyb && kyb.status !== 'open') return refuseTakenId(tx, vaultId, 'external_uuid', externalUuid)
    // Requires permission to read, because the link shows data that was entered earlier.
    requireVault(caller, READ_AND_WRITE, vaultId)
    await replaceLink(tx, identification, link, caller.actor)
    const password = kyb && (await replacePassword(tx, vaultId, kyb.id))
    return { identificationId: identification.id, created: null, password }
  })
}

/** Replaces the link and closes all sessions of the earlier link. */
async function replaceLink(
  tx: Database,
  { id, vaultId, state }: Identification,
  link: VerificationLink,
  actor: string,
): Promise<void> {
  for (const insert of linkInserts(tx, { vaultId, identificationId: id }, link)) await tx.orm.execute(insert)
  await closePageSessions(tx, [id])
  const status = identificationStatus(state)
  const entry = { action: 'link_reissued', actor, from: status, to: status, causeId: newId() }
  await appendTimeline(tx, { entity: 'identification', id, vaultId }, entry)
}

async function replacePassword(tx: Database, vaultId: string, kybId: string): Promise<string> {
  const password = newPassword()
  await replaceKybPassword(tx, vaultId, kybId, password)
  return password
}

/**
 * Replaces the link to the form of an application of any origin, and on request also the password. Throws
 * RequestRefused if the form is closed.
 */
export async function renewForm(
  db: Database,
  { id: kybId, vaultId }: EntityRef<'kyb'>,
  { withPassword, actor, ...link }: VerificationLink & { withPassword: boolean; actor: string },
): Promise<Omit<NewLink, 'token'>> {
  return transaction(db, async (tx) => {
    const application = await findKybApplication(tx, vaultId, kybId)
    const identification =
      application && (await getIdentificationForUpdate(tx, vaultId, application.identificationId))
    if (!identification) throw new RequestRefused({ code: 'not_found' })
    const refusal = formRefusal(identification, application.state)
    if (refusal) throw new RequestRefused(refusal)
    await replaceLink(tx, identification, link, actor)
    const password = withPassword ? await replacePassword(tx, vaultId, kybId) : null
    return { expiresAt: await getLinkExpiry(tx, identification.id), password }
  })
}

/**
 * Returns the reason why the form is closed, or null. Checks the identification too, because its application is
 * abandoned only shortly after the identification is closed.
 */
function formRefusal({ erasedAt, state }: Identification, application: KybState): Problem | null {
  if (erasedAt) return { code: 'identification_erased' }
  if (state.verification === 'closed') return { code: 'kyb_abandoned' }
  return decideKyb(application, 'patch')
}

/**
 * Replaces the link to a person's verification, and sends it if there is an address. Throws RequestRefused if the person
 * no longer needs a link.
 */
export async function renewPersonLink(
  deps: Pick<Deps, 'config' | 'db' | 'notifier'>,
  caller: Caller,
  id: string,
  { email }: { readonly email?: string | null | undefined },
  effect: Commit<NewLink>,
): Promise<NewLink> {
  const { vaultId } = await findTargetForClient(deps.db, caller, READ_AND_WRITE, 'identification', id)
  const token = newToken()
  const link = { token, email: await addressFor(deps, vaultId, email) }
  const renewed = await commitTogether(effect, async (tx) => {
    const identification = await getIdentificationForUpdate(tx, vaultId, id)
    if (identification?.origin !== 'hosted' || identification.kind !== 'person')
      throw new RequestRefused({ code: 'not_found' })
    if (identification.erasedAt) throw new RequestRefused({ code: 'identification_erased' })
    if (identification.state.waitingOn !== 'applicant')
      throw new RequestRefused({ code: 'invalid_transition' })
    await replaceLink(tx, identification, link, caller.actor)
    return { token, expiresAt: await getLinkExpiry(tx, id), password: null }
  })
  deps.notifier.notify([id])
  return renewed
}
