/** Use cases for clients' KYB applications, each found in the vault that contains it. */
import { readCurrentForm } from '../../db/access/profile.ts'
import { findKybApplication } from '../../db/cases/kyb-application.ts'
import { type KybFilter, listKybApplications } from '../../db/cases/kyb-application-list.ts'
import { readKybSnapshot } from '../../db/cases/snapshot.ts'
import { type Problem, type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import type { Page } from '../../domain/base/page.ts'
import type { Replying } from '../../domain/decision/decision.ts'
import { decideKyb } from '../../domain/kyb/application.ts'
import type { KybPatch } from '../../domain/kyb/edit.ts'
import { emptyContent } from '../../domain/kyb/fields.ts'
import { nameProblemsByPerson } from '../../domain/kyb/problem-paths.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import { newToken } from '../../storage/random.ts'
import { type Caller, READ_AND_WRITE, requireVault } from '../access/caller.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import type { Commit, Effect } from '../base/effect.ts'
import { type CommandDeps, changeEntity, getRecord, runCommand } from '../case/command.ts'
import { findTargetForClient } from '../case/entity-ref.ts'
import { addressFor, type NewLink, renewForm } from '../creation/verification-process.ts'

interface Listed extends KybFilter {
  /** If undefined, the caller's first vault is used. */
  readonly vaultId: string | undefined
}

/** Lists applications, newest first. Those beyond the memory limit follow in `rest`. */
export const listKyb = ({ db }: WithDb, caller: Caller, { vaultId, ...filter }: Listed, page: Page) =>
  listKybApplications(db, requireVault(caller, 'api_read', vaultId), page, filter)

export const getKybForClient = async (deps: WithDb, caller: Caller, id: string): Promise<KybApplication> =>
  getRecord(deps, await findTargetForClient(deps.db, caller, 'api_read', 'kyb', id))

export async function kybExists({ db }: WithDb, caller: Caller, id: string): Promise<boolean> {
  const { vaultId } = await findTargetForClient(db, caller, 'api_read', 'kyb', id)
  return (await findKybApplication(db, vaultId, id)) !== null
}

/** Throws RequestRefused if the application cannot be edited. */
export async function requireEditable({ db }: WithDb, caller: Caller, id: string): Promise<void> {
  const { vaultId } = await findTargetForClient(db, caller, 'api_write', 'kyb', id)
  const state = await readKybSnapshot(db, vaultId, id)
  const problem = state && decideKyb(state, 'patch')
  if (problem) throw new RequestRefused(problem)
}

/** Returns the problems of a patch, with the IDs of beneficiaries instead of their positions. */
export async function nameKybProblemsByPerson(
  { db }: WithDb,
  caller: Caller,
  id: string,
  patch: unknown,
  problems: readonly Problem[],
): Promise<readonly Problem[]> {
  const { vaultId } = await findTargetForClient(db, caller, 'api_write', 'kyb', id)
  const application = await findKybApplication(db, vaultId, id)
  return application ? nameProblemsByPerson(application.content, patch, problems) : problems
}

export type FormWithContent = Pick<KybApplication, 'form' | 'content'>

/** Returns the form of the application that the client wants to change. Throws `not_found`. */
export const getFormForClient = async (deps: WithDb, caller: Caller, id: string): Promise<FormWithContent> =>
  getRecord(deps, await findTargetForClient(deps.db, caller, 'api_write', 'kyb', id))

/** Returns the form of a new application. If `vaultId` is undefined, the caller's first vault is used. */
export const getFormOfVault = async (
  { db }: WithDb,
  caller: Caller,
  vaultId: string | undefined,
): Promise<FormWithContent> => ({
  form: await readCurrentForm(db, requireVault(caller, 'api_write', vaultId)),
  content: emptyContent(),
})

/** Applies a patch and returns the application. Throws RequestRefused with all problems. */
export async function patchKyb(
  deps: CommandDeps,
  caller: Caller,
  id: string,
  patch: KybPatch,
  effect: Effect,
): Promise<KybApplication> {
  const target = await findTargetForClient(deps.db, caller, 'api_write', 'kyb', id)
  return changeEntity(deps, { actor: caller.actor, effect }, target, { kind: 'patch', patch })
}

patchKyb.refuses = [
  'kyb_processed',
  'kyb_abandoned',
  'unknown_file',
  'unknown_beneficiary',
  'duplicate_beneficiary',
] as const satisfies Refusals

/** Disputes a correction on behalf of the company. Throws RequestRefused if the correction cannot be disputed. */
export async function replyToCorrection(
  deps: CommandDeps,
  caller: Caller,
  id: string,
  reply: Omit<Replying, 'kind'>,
  effect: Effect,
): Promise<void> {
  const target = await findTargetForClient(deps.db, caller, 'api_write', 'kyb', id)
  await runCommand(deps, { actor: caller.actor, effect }, target, { kind: 'reply', ...reply })
}

replyToCorrection.refuses = ['kyb_processed', 'kyb_abandoned'] as const satisfies Refusals

/**
 * Replaces the link to the form and, on request, the password. Sends the link if there is an address. Throws
 * RequestRefused if the form is closed.
 */
export async function renewFormLink(
  deps: Pick<Deps, 'config' | 'db' | 'notifier'>,
  caller: Caller,
  id: string,
  { withPassword, email }: { readonly withPassword: boolean; readonly email?: string | null | undefined },
  effect: Commit<NewLink>,
): Promise<NewLink> {
  const target = await findTargetForClient(deps.db, caller, READ_AND_WRITE, 'kyb', id)
  const link = { token: newToken(), email: await addressFor(deps, target.vaultId, email) }
  const renewed = await effect.commit(async (tx) => ({
    token: link.token,
    ...(await renewForm(tx, target, { ...link, withPassword, actor: caller.actor })),
  }))
  deps.notifier.notify([id])
  return renewed
}

renewFormLink.refuses = [
  'kyb_processed',
  'kyb_abandoned',
  'identification_erased',
] as const satisfies Refusals
