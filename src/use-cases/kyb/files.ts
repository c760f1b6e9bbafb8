/** Use cases for files of applications, which clients attach and detach. */
import { kybSnapshot } from '../../db/cases/snapshot.ts'
import { type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import { decideKyb } from '../../domain/kyb/application.ts'
import type { Form } from '../../domain/kyb/form.ts'
import type { Caller } from '../access/caller.ts'
import type { Effect } from '../base/effect.ts'
import { attachOnce, type CommandDeps, getRecord, runCommand } from '../case/command.ts'
import { findTargetForClient } from '../case/entity-ref.ts'

/**
 * Checks that the application accepts files. Throws `not_found` if there is no such application. Throws a refusal if
 * it is closed, unless `mayBeLocked` is set.
 */
export async function beginUpload(
  deps: CommandDeps,
  caller: Caller,
  id: string,
  { mayBeLocked }: { readonly mayBeLocked: boolean },
): Promise<{ readonly target: EntityRef<'kyb'>; readonly form: Form }> {
  const target = await findTargetForClient(deps.db, caller, 'api_write', 'kyb', id)
  const application = await getRecord(deps, target)
  const begun = { target, form: application.form }
  if (mayBeLocked) return begun
  const lock =
    decideKyb(application.state, 'attach') ?? (await deps.gateway.editLock(target, kybSnapshot(application)))
  if (lock) throw new RequestRefused(lock)
  return begun
}

/** The list that the file belongs to. A beneficiary is identified by `email` or `externalId`. */
interface Place {
  readonly attribute: string
  readonly email: string | undefined
  readonly externalId: string | undefined
}

/** Attaches the upload and returns the ID of the file. If the request runs again, returns the same ID. */
export async function attachUpload(
  deps: CommandDeps,
  { actor }: Caller,
  target: EntityRef<'kyb'>,
  { attribute, email, externalId }: Place,
  fileId: string,
  effect: Effect,
): Promise<string> {
  const person = { ...(email !== undefined && { email }), ...(externalId !== undefined && { externalId }) }
  return attachOnce(deps, { actor, effect }, target, { kind: 'attach', fileId, attribute, ...person })
}

attachUpload.refuses = [
  'quota_exceeded',
  'kyb_processed',
  'kyb_abandoned',
  'file_too_large',
  'unsupported_file_type',
  'unknown_beneficiary',
  'unknown_file',
] as const satisfies Refusals

export async function detachFile(
  deps: CommandDeps,
  caller: Caller,
  id: string,
  { fileId, attribute }: { readonly fileId: string; readonly attribute: string },
  effect: Effect,
): Promise<void> {
  const target = await findTargetForClient(deps.db, caller, 'api_write', 'kyb', id)
  await runCommand(deps, { actor: caller.actor, effect }, target, { kind: 'detach', fileId, attribute })
}

detachFile.refuses = ['kyb_processed', 'kyb_abandoned'] as const satisfies Refusals
