/** The review of KYB applications by operators, and its simulation in the sandbox. */
import type { z } from 'zod'
import { idParams } from '../../contracts/common.ts'
import { confirm, confirmBody, presentPending, withdraw, withdrawBody } from '../../contracts/confirmation.ts'
import { decisionOf } from '../../contracts/decision.ts'
import {
  decideKybBody,
  kybAnswer,
  kybDecidedAnswer,
  simulateReviewBody,
} from '../../contracts/kyb-application.ts'
import { kybReviewAnswer } from '../../contracts/review.ts'
import { type AppliedCommand, findAppliedCommand } from '../../db/command.ts'
import { findKybApplication, type KybApplication } from '../../db/kyb-application.ts'
import type { ReasonCode } from '../../domain/decision.ts'
import type { EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { OUTCOME_OF, type ReviewOutcome } from '../../domain/kyb-application.ts'
import type { DecisionKind, KybDecision } from '../../domain/kyb-transition.ts'
import { type Asking, runCommand } from '../../use-cases/command.ts'
import type { RouteDeps } from '../deps.ts'
import { ofAnyVault, ofClient } from '../entity-ref.ts'
import { presentKyb, withoutLinks } from '../kyb-answer.ts'
import { answerKybReview } from '../review-answer.ts'
import { type Route, route } from '../route.ts'

/** Of one whose review is over. */
const REFUSALS = [
  { code: 'kyb_processed', status: 422 },
  { code: 'kyb_abandoned', status: 422 },
] as const

/** Operators belong to no vault: the application says whose it is. */
export const kybReviewRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/kyb/:id',
    role: 'operator_review',
    summary: 'Read an application with everything that a decision needs',
    response: { 200: kybReviewAnswer },
    params: idParams,
    handler: async ({ deps, params: { id } }) => answerKybReview(deps, await ofAnyVault(deps.db, 'kyb', id)),
  }),
  route({
    method: 'post',
    path: '/kyb/:id/decision',
    role: 'operator_review',
    summary: 'Decide about an application',
    lost: 'command',
    errors: [
      ...REFUSALS,
      'requirements_due',
      'hits_open',
      'not_screened',
      'decision_pending',
      'stale_version',
    ],
    response: { 200: kybDecidedAnswer },
    params: idParams,
    body: decideKybBody,
    handler: async ({ deps, caller: { actor }, params: { id }, body, effect }) => {
      const target = await ofAnyVault(deps.db, 'kyb', id)
      await decide(deps, { actor, effect }, target, DECISIONS[body.outcome], body)
      return answerDecided(deps, target, effect)
    },
  }),
  route({
    method: 'post',
    path: '/kyb/:id/decision/confirm',
    role: 'operator_review',
    summary: 'Confirm what another operator has decided about an application',
    lost: 'command',
    errors: [
      ...REFUSALS,
      'requirements_due',
      'hits_open',
      'not_screened',
      'no_decision_pending',
      'same_operator',
      'stale_version',
    ],
    response: { 200: kybDecidedAnswer },
    params: idParams,
    body: confirmBody,
    handler: async ({ deps, caller: { actor }, params: { id }, body, effect }) => {
      const target = await ofAnyVault(deps.db, 'kyb', id)
      await runCommand(deps, { actor, effect }, target, confirm(body))
      return answerDecided(deps, target, effect)
    },
  }),
  route({
    method: 'post',
    path: '/kyb/:id/decision/withdraw',
    role: 'operator_review',
    summary: 'Withdraw a decision about an application that waits for confirmation',
    lost: 'command',
    errors: [...REFUSALS, 'no_decision_pending', 'stale_version'],
    response: { 200: kybDecidedAnswer },
    params: idParams,
    body: withdrawBody,
    handler: async ({ deps, caller: { actor }, params: { id }, body, effect }) => {
      const target = await ofAnyVault(deps.db, 'kyb', id)
      await runCommand(deps, { actor, effect }, target, withdraw(body))
      return answerDecided(deps, target, effect)
    },
  }),
]

/** The sandbox decides without an operator, and approves whatever is missing. */
export const sandboxReviewRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/sandbox/kyb/:id/simulate_review',
    role: 'api_write',
    summary: 'Decide about an application, complete or not (sandbox only)',
    lost: 'command',
    errors: [...REFUSALS, 'decision_pending'],
    response: { 200: kybAnswer },
    params: idParams,
    body: simulateReviewBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const kind = body.outcome === 'approved' ? 'approve_incomplete' : DECISIONS[body.outcome]
      const target = await ofClient(deps.db, caller, 'api_write', 'kyb', id)
      await decide(deps, { actor: caller.actor, effect }, target, kind, body)
      return { body: { data: presentKyb(deps.config.PUBLIC_URL)(await found(deps, target, effect)) } }
    },
  }),
]

export const DECISIONS: Record<ReviewOutcome, DecisionKind> = {
  approved: 'approve',
  rejected: 'reject',
  revision_requested: 'request_revision',
}

const USUAL_REASON: Record<ReviewOutcome, ReasonCode> = {
  approved: 'complete',
  rejected: 'other',
  revision_requested: 'other',
}

async function decide(
  deps: RouteDeps,
  asking: Asking,
  target: EntityRef<'kyb'>,
  kind: DecisionKind,
  body: z.output<typeof simulateReviewBody> & { readonly version?: number | undefined },
) {
  const { reason_code = USUAL_REASON[body.outcome] } = body
  await runCommand(deps, asking, target, { kind, ...decisionOf({ ...body, reason_code }) })
}

/** As the command left it, whatever came after it. */
async function found({ db }: RouteDeps, target: EntityRef<'kyb'>, command: { readonly id: string }) {
  const [application, applied] = await Promise.all([
    findKybApplication(db, target.vaultId, target.id),
    findAppliedCommand(db, target, command.id),
  ])
  if (!application) throw new RequestRefused({ code: 'not_found' })
  return applied ? leftBy(application, applied) : application
}

/** What a decision says itself stands, and otherwise what there is now. */
function leftBy(now: KybApplication, { command, state, appliedAt }: AppliedCommand<'kyb'>): KybApplication {
  if (!state || state.version === now.state.version) return now
  const left = { ...now, state }
  const outcome = OUTCOME_OF[command.kind]
  if (!outcome) return left
  const decision = command as KybDecision
  if (state.pending) return { ...left, proposal: decision }
  const { reasonCode, clientComment = null, findings = [] } = decision
  return { ...left, review: { outcome, reasonCode, clientComment, findings, decidedAt: appliedAt } }
}

async function answerDecided(deps: RouteDeps, target: EntityRef<'kyb'>, command: { readonly id: string }) {
  const application = await found(deps, target, command)
  const data = withoutLinks(presentKyb(deps.config.PUBLIC_URL)(application))
  return { body: { data, pending_confirmation: presentPending(application) } }
}
