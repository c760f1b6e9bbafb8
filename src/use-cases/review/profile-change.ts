/** Use case: an operator moves an application to a later version of its vault's profile. */
import type { Granted } from '../../domain/access/grant.ts'
import type { Refusals } from '../../domain/base/errors.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import type { Caller } from '../access/caller.ts'
import type { Effect } from '../base/effect.ts'
import { type CommandDeps, changeEntity } from '../case/command.ts'
import { findTarget } from '../case/entity-ref.ts'

/**
 * Moves the application to this version or, if it is undefined, to the newest one. Throws `invalid` if the application
 * cannot move to it.
 */
export async function changeProfile(
  deps: CommandDeps,
  operator: Granted & Pick<Caller, 'actor'>,
  id: string,
  profileVersion: number | undefined,
  effect: Effect,
): Promise<KybApplication> {
  const target = await findTarget(deps, operator, 'decide', 'kyb', id)
  const command = { kind: 'change_profile', profileVersion } as const
  return changeEntity(deps, { actor: operator.actor, effect }, target, command)
}

changeProfile.refuses = [
  { code: 'kyb_processed', status: 422 },
  { code: 'kyb_abandoned', status: 422 },
] as const satisfies Refusals
