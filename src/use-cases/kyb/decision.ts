/** Use cases for operators' decisions on applications, and for simulated decisions in the sandbox. */
import { v7 as newId } from 'uuid'
import type { Granted } from '../../domain/access/grant.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import { CONFIRMATION_PERMISSIONS } from '../../domain/decision/confirmation.ts'
import type { Confirmation } from '../../domain/decision/decision.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import { transitionOnFact } from '../../domain/identification/fact.ts'
import { endOfReview, reviewFactId } from '../../domain/identification/identification.ts'
import { DECISION_OF, type ReviewOutcome } from '../../domain/kyb/application.ts'
import type { KybApplication } from '../../domain/kyb/record.ts'
import { type KybDecision, transitionKyb } from '../../domain/kyb/transition.ts'
import type { Caller } from '../access/caller.ts'
import {
  type CompanyForm,
  type CompanyResult,
  companyFormOf,
  getCompanyResult,
} from '../applicant/company-form.ts'
import { getRedirectUrl } from '../applicant/redirect.ts'
import { runCommand } from '../cases/command.ts'
import { findTarget, findTargetForClient } from '../cases/entity-ref.ts'
import type { Deps } from '../deps.ts'
import type { Effect } from '../effect.ts'
import { getKyb, getKybAfter } from './application.ts'

type CommandDeps = Pick<Deps, 'db' | 'gateway' | 'screening'>

/** The operator's name in timelines. */
interface Operator extends Granted {
  readonly actor: string
}

export interface DecidedKyb extends Omit<KybDecision, 'kind'> {
  readonly outcome: ReviewOutcome
}

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

/** Disables four-eyes approval, because a preview shows the final result. */
const ALONE = { fourEyes: [], highRiskCountries: [] }

export interface PreviewedKyb extends CompanyResult {
  readonly form: CompanyForm
}

/** Returns the form that the applicant would see after the decision. Throws RequestRefused with all problems. */
export async function previewKybDecision(
  deps: Pick<Deps, 'db'>,
  { actor }: Operator,
  target: EntityRef<'kyb'>,
  { outcome, ...decision }: DecidedKyb,
): Promise<PreviewedKyb> {
  const application = { ...(await getKyb(deps, target)), policy: ALONE }
  const command = { kind: DECISION_OF[outcome], ...decision }
  const now = new Date()
  const trial = transitionKyb(application, command, { now, newId, actor })
  if ('problems' in trial) throw new RequestRefused(...trial.problems)
  const form = companyFormOf(trial.record)
  const { identification } = await getCompanyResult(deps, application)
  const { reasonCode, clientComment = null } = decision
  const review = { status: 'processed', outcome, reasonCode, clientComment }
  const fact = endOfReview(reviewFactId(target.id), review)
  if (!identification || !fact) return { form, identification, redirectUrl: null }
  const after = transitionOnFact({ ...identification, companyRisks: [] }, fact, now).record
  return { form, identification: after, redirectUrl: await getRedirectUrl(deps, after) }
}
