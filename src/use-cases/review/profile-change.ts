/** Use case: an operator moves an open case to a later version of its vault's profile. */
import type { Granted } from '../../domain/access/grant.ts'
import type { Refusals } from '../../domain/base/errors.ts'
import type { Commands, Entity } from '../../domain/entity/entity.ts'
import type { Records } from '../../domain/entity/rules.ts'
import type { Caller } from '../access/caller.ts'
import type { Effect } from '../base/effect.ts'
import { type CommandDeps, changeEntity } from '../case/command.ts'
import { findTarget } from '../case/entity-ref.ts'

/**
 * Moves the case to this version or, if it is undefined, to the newest one. Throws `invalid` if the case cannot move to
 * it.
 */
export async function changeProfile<E extends Entity>(
  deps: CommandDeps,
  operator: Granted & Pick<Caller, 'actor'>,
  { entity, id }: { readonly entity: E; readonly id: string },
  profileVersion: number | undefined,
  effect: Effect,
): Promise<Records[E]> {
  const target = await findTarget(deps, operator, 'decide', entity, id)
  const command = { kind: 'change_profile', profileVersion } as Commands[E]
  return changeEntity(deps, { actor: operator.actor, effect }, target, command)
}

changeProfile.refuses = {
  kyb: [
    { code: 'kyb_processed', status: 422 },
    { code: 'kyb_abandoned', status: 422 },
  ],
  identification: ['invalid_transition', { code: 'identification_erased', status: 422 }],
} as const satisfies Readonly<Record<Entity, Refusals>>
