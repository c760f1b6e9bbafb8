/** Limits the saves and uploads of applicants per session and per verification. */

import { type CodeFor, RequestRefused } from '../../domain/base/errors.ts'
import type { Commands, Entity, EntityRef } from '../../domain/entity/entity.ts'
import type { Records } from '../../domain/entity/rules.ts'
import { isInScope, type SessionScope } from '../../domain/entity/session-scope.ts'
import { isWithdrawal } from '../../domain/identification/person-form.ts'
import type { Deps } from '../base/deps.ts'
import { newEffect } from '../base/effect.ts'
import { type CommandDeps, runCommand } from '../case/command.ts'

export type ApplicantDeps = CommandDeps & Pick<Deps, 'spend'>

/** An applicant in one browser. */
export interface Applicant {
  readonly actor: string
  readonly sessionHash: Buffer
  readonly scope: SessionScope
}

/** The codes with which an applicant's use case can refuse a form, except those of single fields. Each has a text. */
export type ApplicantRefusals = readonly CodeFor<'applicant'>[]

export async function countApplicantRequest(
  { spend }: Pick<Deps, 'spend'>,
  { actor, sessionHash }: Omit<Applicant, 'scope'>,
  what: 'saves' | 'uploads',
): Promise<void> {
  await spend(`session_${what}`, sessionHash.toString('hex'))
  await spend(`verification_${what}`, actor)
}

/**
 * Runs a command and counts it as a save, unless it attaches an upload or withdraws consent. Throws RateReached, and
 * RequestRefused with all problems, or with `insufficient_role` if the session does not allow the command.
 */
export async function runAsApplicant<E extends Entity>(
  deps: ApplicantDeps,
  applicant: Applicant,
  target: EntityRef<E>,
  command: Commands[E],
  record?: Records[E],
): Promise<void> {
  if (!isInScope(applicant.scope, command.kind)) throw new RequestRefused({ code: 'insufficient_role' })
  if (!isUncounted(command)) await countApplicantRequest(deps, applicant, 'saves')
  await runCommand(deps, { actor: applicant.actor, effect: newEffect() }, target, command, record)
}

/**
 * Returns true for an upload, which is counted before it arrives, and for a withdrawal of consent, which no limit may
 * prevent.
 */
const isUncounted = (command: Commands[Entity]): boolean =>
  command.kind === 'attach' || (command.kind === 'fill_in' && isWithdrawal(command.changes))
