import { findIdentification } from '../../db/cases/identification.ts'
import type { Granted } from '../../domain/access/grant.ts'
import { type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import { CONFIRMATION_PERMISSIONS } from '../../domain/decision/confirmation.ts'
import type { Confirmation } from '../../domain/decision/decision.ts'
import { moveKindOf, type Outcome } from '../../domain/identification/identification.ts'
import type { Account, Identification, IdentificationDecision } from '../../domain/identification/record.ts'
import { newReferral } from '../../storage/random.ts'
import type { Caller } from '../access/caller.ts'
import type { Deps } from '../base/deps.ts'
import type { Effect } from '../base/effect.ts'
import { runCommand } from '../case/command.ts'
import { findTarget, findTargetForClient } from '../case/entity-ref.ts'
import { getIdentification, getIdentificationAfter } from './identification.ts'

type CommandDeps = Pick<Deps, 'db' | 'gateway' | 'screening'>

/** The operator's name in timelines. */
interface Operator extends Granted {
  readonly actor: string
}

export interface DecidedVerification extends Omit<IdentificationDecision, 'kind'> {
  readonly outcome: Outcome
}

const ERASED = { code: 'identification_erased', status: 422 } as const
const DECISION = ['invalid_transition', ERASED, 'reason_contradicts', 'hits_open', 'not_screened'] as const

/**
 * Decides about a verification and returns the identification as the decision left it. Throws RequestRefused with all
 * problems.
 */
export async function decideAboutVerification(
  deps: CommandDeps,
  operator: Operator,
  id: string,
  { outcome, ...decision }: DecidedVerification,
  effect: Effect,
): Promise<Identification> {
  const target = await findTarget(deps, operator, 'decide', 'identification', id)
  const command = { kind: moveKindOf(outcome), ...decision }
  await runCommand(deps, { actor: operator.actor, effect }, target, command)
  return getIdentificationAfter(deps, target, effect, command)
}

decideAboutVerification.refuses = [
  ...DECISION,
  'decision_pending',
  'stale_version',
] as const satisfies Refusals

/** Confirms or withdraws the decision or case closing that awaits a second approval. */
export async function settleVerificationDecision(
  deps: CommandDeps,
  operator: Operator,
  id: string,
  confirmation: Confirmation,
  effect: Effect,
): Promise<Identification> {
  const target = await findTarget(
    deps,
    operator,
    CONFIRMATION_PERMISSIONS[confirmation.kind],
    'identification',
    id,
  )
  await runCommand(deps, { actor: operator.actor, effect }, target, confirmation)
  return getIdentificationAfter(deps, target, effect, confirmation)
}

settleVerificationDecision.refuses = {
  confirm: [...DECISION, 'no_decision_pending', 'same_operator', 'stale_version'],
  withdraw: [ERASED, 'no_decision_pending', 'stale_version'],
} as const satisfies Record<string, Refusals>

/**
 * Simulates a decision about a verification in the sandbox, without a provider. Throws `invalid_transition` for an
 * appeal, which only operators can make.
 */
export async function simulateVerification(
  deps: CommandDeps,
  caller: Caller,
  id: string,
  { outcome, ...decision }: DecidedVerification,
  effect: Effect,
): Promise<Identification> {
  const target = await findTargetForClient(deps.db, caller, 'api_write', 'identification', id)
  const identification = await findIdentification(deps.db, target.vaultId, id)
  const isAppeal = identification?.state.verification === 'rejected'
  const isDone = effect.isRerun && (await deps.gateway.earlier(target, effect.id)) !== null
  if (isAppeal && !isDone) throw new RequestRefused({ code: 'invalid_transition' })
  const command = { kind: moveKindOf(outcome), ...decision }
  await runCommand(deps, { actor: caller.actor, effect }, target, command)
  return getIdentificationAfter(deps, target, effect, command)
}

simulateVerification.refuses = [...DECISION, 'decision_pending'] as const satisfies Refusals

/** Adds an account and returns it. If the request runs again, returns the same account. */
export async function addAccount(
  deps: CommandDeps,
  operator: Operator,
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
  const { accounts } = await getIdentification(deps, target)
  return accounts.find((each) => each.id === account.id) ?? account
}

addAccount.refuses = [
  'identification_closed',
  'identification_erased',
  'invalid_transition',
] as const satisfies Refusals
