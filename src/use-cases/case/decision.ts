/** Use cases for operators' decisions and moves to other profiles, and for simulated decisions in the sandbox. */
import type { By } from '../../domain/access/audit.ts'
import type { Granted } from '../../domain/access/grant.ts'
import { type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import { CONFIRMATION_PERMISSIONS } from '../../domain/decision/confirmation.ts'
import type { Confirmation } from '../../domain/decision/decision.ts'
import type { Commands, Entity, EntityRef } from '../../domain/entity/entity.ts'
import { commandFor, type Decided, type Records } from '../../domain/entity/rules.ts'
import { ENTITIES } from '../../temporal/entities.ts'
import type { Caller } from '../access/caller.ts'
import type { Deps } from '../base/deps.ts'
import type { Effect } from '../base/effect.ts'
import { type CommandDeps, changeEntity } from './command.ts'
import { findTarget, findTargetForClient } from './entity-ref.ts'
import { recordCaseRead } from './reading-record.ts'

/** The operator's name in timelines. */
interface Operator extends Granted {
  readonly actor: string
}

const ENDED = {
  kyb: [
    { code: 'kyb_processed', status: 422 },
    { code: 'kyb_abandoned', status: 422 },
  ],
  identification: [{ code: 'identification_erased', status: 422 }],
} as const
const SCREENED = ['reason_contradicts', 'hits_open', 'not_screened'] as const
/** The codes of a case that does not allow the decision. */
const REFUSED = {
  kyb: [...ENDED.kyb, 'requirements_due', ...SCREENED],
  identification: ['invalid_transition', ...ENDED.identification, ...SCREENED],
} as const

type RefusalsByKind = Readonly<Record<Entity, Refusals>>

/** Decides about a case and returns it as the decision left it. Throws RequestRefused with all problems. */
export async function decideCase<E extends Entity>(
  deps: CommandDeps,
  operator: Operator,
  { entity, id }: Pick<EntityRef<E>, 'entity' | 'id'>,
  decided: Decided<E>,
  effect: Effect,
): Promise<Records[E]> {
  const target = await findTarget(deps, operator, 'decide', entity, id)
  return changeEntity(deps, { actor: operator.actor, effect }, target, commandFor(entity, decided))
}

decideCase.refuses = {
  kyb: [...REFUSED.kyb, 'decision_pending', 'stale_version'],
  identification: [...REFUSED.identification, 'decision_pending', 'stale_version'],
} as const satisfies RefusalsByKind

/** Confirms or withdraws the decision that awaits a second approval. */
export async function settleDecision<E extends Entity>(
  deps: CommandDeps,
  operator: Operator,
  { entity, id }: Pick<EntityRef<E>, 'entity' | 'id'>,
  confirmation: Confirmation,
  effect: Effect,
): Promise<Records[E]> {
  const permission = CONFIRMATION_PERMISSIONS[confirmation.kind]
  const target = await findTarget(deps, operator, permission, entity, id)
  return changeEntity(deps, { actor: operator.actor, effect }, target, confirmation as Commands[E])
}

settleDecision.refuses = {
  confirm: {
    kyb: [...REFUSED.kyb, 'no_decision_pending', 'same_operator', 'stale_version'],
    identification: [...REFUSED.identification, 'no_decision_pending', 'same_operator', 'stale_version'],
  },
  withdraw: {
    kyb: [...ENDED.kyb, 'no_decision_pending', 'stale_version'],
    identification: [...ENDED.identification, 'no_decision_pending', 'stale_version'],
  },
} as const satisfies Record<string, RefusalsByKind>

/**
 * Moves the case to this version of its vault's profile or, if it is undefined, to the newest one, and returns it.
 * Records a read, because a move to the same version leaves no other entry. Throws `invalid` if the case cannot move to
 * the version.
 */
export async function changeProfile<E extends Entity>(
  deps: CommandDeps & Pick<Deps, 'spend'>,
  operator: Operator,
  by: By,
  { entity, id }: Pick<EntityRef<E>, 'entity' | 'id'>,
  profileVersion: number | undefined,
  effect: Effect,
): Promise<Records[E]> {
  const target = await findTarget(deps, operator, 'decide', entity, id)
  const command = { kind: 'change_profile', profileVersion } as Commands[E]
  const moved = await changeEntity(deps, { actor: operator.actor, effect }, target, command)
  await recordCaseRead(deps, by, target)
  return moved
}

changeProfile.refuses = {
  kyb: ENDED.kyb,
  identification: ['invalid_transition', ...ENDED.identification],
} as const satisfies RefusalsByKind

/**
 * Simulates a decision in the sandbox, where an application can be approved with missing fields. Throws
 * `invalid_transition` for an appeal, which only operators can make.
 */
export async function simulateDecision<E extends Entity>(
  deps: CommandDeps,
  caller: Caller,
  { entity, id }: Pick<EntityRef<E>, 'entity' | 'id'>,
  decided: Decided<E>,
  effect: Effect,
): Promise<Records[E]> {
  const target = await findTargetForClient(deps.db, caller, 'api_write', entity, id)
  await refuseAppeal(deps, target, effect)
  const command = commandFor(entity, decided)
  const own = command.kind === 'approve' && entity === 'kyb' ? { kind: 'approve_incomplete' } : {}
  return changeEntity(deps, { actor: caller.actor, effect }, target, { ...command, ...own })
}

simulateDecision.refuses = {
  kyb: [...ENDED.kyb, 'reason_contradicts', 'decision_pending'],
  identification: [...REFUSED.identification, 'decision_pending'],
} as const satisfies RefusalsByKind

async function refuseAppeal(deps: CommandDeps, target: EntityRef, effect: Effect): Promise<void> {
  if (target.entity !== 'identification') return
  const state = await ENTITIES.identification.readSnapshot(deps.db, target.vaultId, target.id)
  const isAppeal = state?.verification === 'rejected'
  const isDone = effect.isRerun && (await deps.gateway.earlier(target, effect.id)) !== null
  if (isAppeal && !isDone) throw new RequestRefused({ code: 'invalid_transition' })
}
