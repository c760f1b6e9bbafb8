/** Counts what applicants save and upload, for their session and for their verification. */
import type { Commands, Entity, EntityRef } from '../../domain/entity.ts'
import { isWithdrawal } from '../../domain/identification/person-form.ts'
import type { Records } from '../../temporal/entities.ts'
import { type CommandDeps, runCommand } from '../cases/command.ts'
import type { Deps } from '../deps.ts'
import { newEffect } from '../effect.ts'

/** One applicant in one browser. */
export interface Applicant {
  readonly actor: string
  readonly sessionHash: Buffer
}

/** Throws RateReached. */
export async function countApplicantRequest(
  { spend }: Pick<Deps, 'spend'>,
  { actor, sessionHash }: Applicant,
  what: 'saves' | 'uploads',
): Promise<void> {
  await spend(`session_${what}`, sessionHash.toString('hex'))
  await spend(`verification_${what}`, actor)
}

/** Runs a command that counts as a save. Throws RateReached, and RequestRefused with every reason against it. */
export async function runAsApplicant<E extends Entity>(
  deps: CommandDeps & Pick<Deps, 'spend'>,
  applicant: Applicant,
  target: EntityRef<E>,
  command: Commands[E],
  record?: Records[E],
): Promise<void> {
  if (!isUncounted(command)) await countApplicantRequest(deps, applicant, 'saves')
  await runCommand(deps, { actor: applicant.actor, effect: newEffect() }, target, command, record)
}

/** An upload was counted before it was received. No limit may prevent the withdrawal of a consent. */
const isUncounted = (command: Commands[Entity]): boolean =>
  command.kind === 'attach' || (command.kind === 'fill_in' && isWithdrawal(command.changes))
