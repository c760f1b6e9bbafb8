/** The review of KYB applications by operators, and its simulation in the sandbox. */
import type { z } from 'zod'
import { idParams } from '../../contracts/common.ts'
import { confirm, confirmBody, withdraw, withdrawBody } from '../../contracts/confirmation.ts'
import { decisionOf } from '../../contracts/decision.ts'
import {
  decideKybBody,
  kybAnswer,
  kybDecidedAnswer,
  simulateReviewBody,
} from '../../contracts/kyb-application.ts'
import { kybReviewAnswer } from '../../contracts/review.ts'
import type { ReasonCode } from '../../domain/decision/decision.ts'
import type { EntityRef } from '../../domain/entity.ts'
import { DECISION_OF, type ReviewOutcome } from '../../domain/kyb/application.ts'
import type { DecisionKind } from '../../domain/kyb/transition.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { type Asking, runCommand } from '../../use-cases/cases/command.ts'
import { ofAnyVault, ofClient } from '../../use-cases/cases/entity-ref.ts'
import { answerKyb, answerKybDecided } from '../presenters/kyb-answer.ts'
import { answerKybReview } from '../presenters/review-answer.ts'
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
      await decide(deps, { actor, effect }, target, DECISION_OF[body.outcome], body)
      return answerKybDecided(deps, target, effect)
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
      return answerKybDecided(deps, target, effect)
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
      return answerKybDecided(deps, target, effect)
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
      const kind = body.outcome === 'approved' ? 'approve_incomplete' : DECISION_OF[body.outcome]
      const target = await ofClient(deps.db, caller, 'api_write', 'kyb', id)
      await decide(deps, { actor: caller.actor, effect }, target, kind, body)
      return answerKyb(deps, target, effect)
    },
  }),
]

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
