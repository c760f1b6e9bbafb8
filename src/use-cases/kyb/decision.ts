import type { Granted } from '../../domain/access/grant.ts'
import type { Refusals } from '../../domain/base/errors.ts'
import { CONFIRMATION_PERMISSIONS } from '../../domain/decision/confirmation.ts'
import type { Confirmation } from '../../domain/decision/decision.ts'
import { DECISION_OF, type ReviewOutcome } from '../../domain/kyb/application.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import type { KybDecision } from '../../domain/kyb/transition.ts'
import type { Caller } from '../access/caller.ts'
import type { Deps } from '../base/deps.ts'
import type { Effect } from '../base/effect.ts'
import { runCommand } from '../case/command.ts'
import { findTarget, findTargetForClient } from '../case/entity-ref.ts'
import { getKybAfter } from './application.ts'

type CommandDeps = Pick<Deps, 'db' | 'gateway' | 'screening'>

/** The operator's name in timelines. */
interface Operator extends Granted {
  readonly actor: string
}

export interface DecidedKyb extends Omit<KybDecision, 'kind'> {
  readonly outcome: ReviewOutcome
}

/** The codes of an application whose review is finished. */
const FINISHED = [
  { code: 'kyb_processed', status: 422 },
  { code: 'kyb_abandoned', status: 422 },
] as const
const APPROVAL = [...FINISHED, 'requirements_due', 'reason_contradicts', 'hits_open', 'not_screened'] as const

/** Decides about an application and returns it as the decision left it. Throws RequestRefused with all problems. */
export async function decideAboutKyb(
  deps: CommandDeps,
  operator: Operator,
  id: string,
  { outcome, ...decision }: DecidedKyb,
  effect: Effect,
): Promise<KybApplication> {
  const target = await findTarget(deps, operator, 'decide', 'kyb', id)
  const command = { kind: DECISION_OF[outcome], ...decision }
  await runCommand(deps, { actor: operator.actor, effect }, target, command)
  return getKybAfter(deps, target, effect, command)
}

decideAboutKyb.refuses = [...APPROVAL, 'decision_pending', 'stale_version'] as const satisfies Refusals

/** Confirms or withdraws the decision that awaits a second approval. */
export async function settleKybDecision(
  deps: CommandDeps,
  operator: Operator,
  id: string,
  confirmation: Confirmation,
  effect: Effect,
): Promise<KybApplication> {
  const target = await findTarget(deps, operator, CONFIRMATION_PERMISSIONS[confirmation.kind], 'kyb', id)
  await runCommand(deps, { actor: operator.actor, effect }, target, confirmation)
  return getKybAfter(deps, target, effect, confirmation)
}

settleKybDecision.refuses = {
  confirm: [...APPROVAL, 'no_decision_pending', 'same_operator', 'stale_version'],
  withdraw: [...FINISHED, 'no_decision_pending', 'stale_version'],
} as const satisfies Record<string, Refusals>

/** Simulates a decision about an application in the sandbox, where it can be approved with missing fields. */
export async function simulateKybReview(
  deps: CommandDeps,
  caller: Caller,
  id: string,
  { outcome, ...decision }: DecidedKyb,
  effect: Effect,
): Promise<KybApplication> {
  const kind = outcome === 'approved' ? 'approve_incomplete' : DECISION_OF[outcome]
  const target = await findTargetForClient(deps.db, caller, 'api_write', 'kyb', id)
  const command: KybDecision = { kind, ...decision }
  await runCommand(deps, { actor: caller.actor, effect }, target, command)
  return getKybAfter(deps, target, effect, command)
}

simulateKybReview.refuses = [
  ...FINISHED,
  'reason_contradicts',
  'decision_pending',
] as const satisfies Refusals
