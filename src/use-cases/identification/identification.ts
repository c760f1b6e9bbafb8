/** Use cases for clients' identifications, each found in the vault that contains it. */
import { v7 as newId } from 'uuid'
import {
  type IdentificationFilter,
  listIdentifications as listOfVault,
} from '../../db/cases/identification.ts'
import { findKybOfIdentification } from '../../db/cases/kyb-application.ts'
import { listChecks } from '../../db/cases/verification-check.ts'
import type { Granted } from '../../domain/access/grant.ts'
import { type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import type { UploadedFile } from '../../domain/base/file.ts'
import type { Listed, Page } from '../../domain/base/page.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import type { BlockReason } from '../../domain/identification/holds.ts'
import { decideIdentification, identificationStatus } from '../../domain/identification/identification.ts'
import { type ApplicantForm, formOf, type PersonFile } from '../../domain/identification/person-form.ts'
import type { Account, Identification } from '../../domain/identification/record.ts'
import type { IdentificationCommand } from '../../domain/identification/transition.ts'
import { type Verified, verifiedOf } from '../../domain/identification/verified.ts'
import { newReferral } from '../../storage/random.ts'
import { type Caller, requireVault } from '../access/caller.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import type { Effect } from '../base/effect.ts'
import { attachOnce, type CommandDeps, changeEntity, getRecord, runCommand } from '../case/command.ts'
import { findTarget, findTargetForClient } from '../case/entity-ref.ts'
import { inspectUploadedPhoto } from '../case/photo.ts'
import { waitUntil } from '../case/wait-until.ts'

type Target = EntityRef<'identification'>

/** Lists identifications, newest or most recently changed first. Omits beneficiaries' identifications. */
export const listIdentifications = (
  { db }: WithDb,
  caller: Caller,
  { vaultId, ...filter }: IdentificationFilter & { readonly vaultId: string | undefined },
  page: Page,
) => listOfVault(db, requireVault(caller, 'api_read', vaultId), page, filter)

export const getIdentificationForClient = async (
  deps: WithDb,
  caller: Caller,
  id: string,
): Promise<Identification> =>
  getRecord(deps, await findTargetForClient(deps.db, caller, 'api_read', 'identification', id))

/** An identification with its verified data, if there is any. */
export interface ShownIdentification {
  readonly identification: Identification
  readonly verified: Verified | null
}

/** Returns the identification as clients see it. Throws `not_found`. */
export const readIdentification = async (
  deps: WithDb,
  caller: Caller,
  id: string,
): Promise<ShownIdentification> => withVerified(deps, await getIdentificationForClient(deps, caller, id))

export async function withVerified(
  deps: WithDb,
  identification: Identification,
): Promise<ShownIdentification> {
  // Only a provider's approval names its check.
  const isByProvider = identification.review?.by === 'provider'
  const checks = isByProvider ? await listChecks(deps.db, identification.id) : []
  return { identification, verified: verifiedOf(identification, checks) }
}

/** Lists the accounts, oldest first. Throws `not_found`. */
export async function listAccounts(
  deps: WithDb,
  caller: Caller,
  id: string,
  { page, per_page }: Page,
): Promise<Listed<Account>> {
  const { accounts } = await getIdentificationForClient(deps, caller, id)
  const start = (page - 1) * per_page
  return { entries: accounts.slice(start, start + per_page), totalCount: accounts.length }
}

/** An identification in any vault in which the caller can write, or in the vault in the path. */
interface Named {
  readonly id: string
  readonly vaultId?: string
}

const targetOf = async ({ db }: WithDb, caller: Caller, { id, vaultId }: Named): Promise<Target> =>
  vaultId === undefined
    ? findTargetForClient(db, caller, 'api_write', 'identification', id)
    : { entity: 'identification', id, vaultId: requireVault(caller, 'api_write', vaultId) }

async function change(
  deps: CommandDeps,
  { actor }: Caller,
  target: Target,
  command: IdentificationCommand,
  effect: Effect,
): Promise<ShownIdentification> {
  return withVerified(deps, await changeEntity(deps, { actor, effect }, target, command))
}

/** Changed values, as texts keyed by field. Null clears a field. */
export type ProfileChanges = Readonly<Record<string, string | null>>

/** Returns the form of the person whom the client wants to change. Throws `not_found`. */
export const getFormOfPerson = async ({ db }: WithDb, caller: Caller, id: string): Promise<ApplicantForm> =>
  formOf(await getRecord({ db }, await targetOf({ db }, caller, { id })))

/** Changes the profile. Throws RequestRefused with all problems, like the functions for other changes. */
export const editProfile = async (
  deps: CommandDeps,
  caller: Caller,
  named: Named,
  changes: ProfileChanges,
  effect: Effect,
): Promise<ShownIdentification> =>
  change(deps, caller, await targetOf(deps, caller, named), { kind: 'edit_profile', changes }, effect)

editProfile.refuses = [
  'identification_closed',
  'already_verified',
  'identification_erased',
] as const satisfies Refusals

/**
 * Returns the person to whom the client uploads a document, and their form. Throws `not_found`. Throws a refusal if the
 * verification is closed, unless `mayBeLocked` is set.
 */
export async function beginPersonUpload(
  { db }: WithDb,
  caller: Caller,
  id: string,
  { mayBeLocked }: { readonly mayBeLocked: boolean },
): Promise<{ readonly target: Target; readonly form: ApplicantForm }> {
  const target = await targetOf({ db }, caller, { id })
  const identification = await getRecord({ db }, target)
  const refusal = mayBeLocked ? null : decideIdentification(identification.state, 'edit_profile')
  if (refusal) throw new RequestRefused(refusal)
  return { target, form: formOf(identification) }
}

/**
 * Attaches an upload as a document that the profile adds, and returns the ID of the file. It replaces the earlier one. If
 * the request runs again, returns the same ID.
 */
export async function attachPersonUpload(
  deps: CommandDeps & Pick<Deps, 'blobs'>,
  { actor }: Caller,
  target: Target,
  attribute: PersonFile,
  file: UploadedFile,
  effect: Effect,
): Promise<string> {
  await inspectUploadedPhoto(deps, target, attribute, file, null)
  const command = { kind: 'edit_profile', changes: { [attribute]: file.id }, fileId: file.id } as const
  return attachOnce(deps, { actor, effect }, target, command)
}

attachPersonUpload.refuses = [
  'quota_exceeded',
  'identification_closed',
  'identification_erased',
  'file_too_large',
  'unsupported_file_type',
  'unknown_file',
] as const satisfies Refusals

export const blockIdentification = async (
  deps: CommandDeps,
  caller: Caller,
  named: Named,
  block: { reason: BlockReason; notes?: string | undefined },
  effect: Effect,
): Promise<ShownIdentification> => {
  const command = { kind: 'block', holdId: newId(), ...block } as const
  return change(deps, caller, await targetOf(deps, caller, named), command, effect)
}

blockIdentification.refuses = ['cannot_block', 'identification_erased'] as const satisfies Refusals

export const unblockIdentification = async (
  deps: CommandDeps,
  caller: Caller,
  named: Named,
  effect: Effect,
): Promise<ShownIdentification> =>
  change(deps, caller, await targetOf(deps, caller, named), { kind: 'unblock' }, effect)

unblockIdentification.refuses = [
  'cannot_unblock',
  'blocked_by_internal_case',
  'identification_erased',
] as const satisfies Refusals

/**
 * Closes an identification. Waits briefly until a company's application is abandoned, so that the response shows it.
 */
export async function closeIdentification(deps: CommandDeps, caller: Caller, named: Named, effect: Effect) {
  const since = performance.now()
  const target = await targetOf(deps, caller, named)
  const closed = await change(deps, caller, target, { kind: 'close' }, effect)
  if (identificationStatus(closed.identification.state) === 'closed') {
    const application = () => findKybOfIdentification(deps.db, target.vaultId, target.id)
    await waitUntil(async () => (await application())?.status !== 'open', since)
  }
  return closed
}

closeIdentification.refuses = ['cannot_close', 'identification_erased'] as const satisfies Refusals

/** Adds an account and returns it. If the request runs again, returns the same account. */
export async function addAccount(
  deps: CommandDeps,
  operator: Granted & Pick<Caller, 'actor'>,
  id: string,
  effect: Effect,
): Promise<Account> {
  const target = await findTarget(deps, operator, 'decide', 'identification', id)
  const account = { id: effect.id, referral: newReferral() }
  const earlier = await runCommand(deps, { actor: operator.actor, effect }, target, {
    kind: 'add_account',
    account,
  })
  if (!earlier) return account
  const { accounts } = await getRecord(deps, target)
  return accounts.find((each) => each.id === account.id) ?? account
}

addAccount.refuses = [
  'identification_closed',
  'identification_erased',
  'invalid_transition',
] as const satisfies Refusals
