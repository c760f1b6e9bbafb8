/** Routes for reviewing KYB applications, and for simulating reviews in the sandbox. */
import { idParams } from '../../contracts/common.ts'
import { confirm, confirmBody, withdraw, withdrawBody } from '../../contracts/confirmation.ts'
import { decisionOf } from '../../contracts/decision.ts'
import {
  decideKybBody,
  kybChangedResponse,
  kybDecidedResponse,
  simulateReviewBody,
} from '../../contracts/kyb-application.ts'
import { kybReviewResponse } from '../../contracts/review.ts'
import type { ReasonCode } from '../../domain/decision/decision.ts'
import type { ReviewOutcome } from '../../domain/kyb/application.ts'
import { byOf } from '../../http/address.ts'
import { findTarget } from '../../use-cases/case/entity-ref.ts'
import { decideAboutKyb, settleKybDecision, simulateKybReview } from '../../use-cases/kyb/decision.ts'
import { getKybReview } from '../../use-cases/review/review.ts'
import { presentChangedKyb, presentDecidedKybResponse } from '../presenters/kyb-application.ts'
import { presentKybReviewResponse } from '../presenters/review.ts'
import { type Route, route } from '../routing/route.ts'

/** The errors for an application whose review has ended. */
export const kybReviewRoutes: readonly Route[] = [
  route({
    name: 'getKybApplication',
    method: 'get',
    path: '/kyb/:id',
    role: 'read_cases',
    summary: 'Read an application with all the data needed for a decision',
    response: { 200: kybReviewResponse },
    params: idParams,
    handler: async ({ deps, caller, req, params: { id } }) => {
      const target = await findTarget(deps, caller, 'read_cases', 'kyb', id)
      const review = await getKybReview(deps, caller, byOf(caller, req), target)
      return presentKybReviewResponse(deps.config.PUBLIC_URL, review)
    },
  }),
  route({
    name: 'decideKybApplication',
    method: 'post',
    path: '/kyb/:id/decision',
    role: 'decide',
    summary: 'Decide on an application',
    retryGuidance: 'command',
    errors: decideAboutKyb.refuses,
    response: { 200: kybDecidedResponse },
    params: idParams,
    body: decideKybBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const decided = { outcome: body.outcome, ...decisionOf(body) }
      const application = await decideAboutKyb(deps, caller, id, decided, effect)
      return presentDecidedKybResponse(deps.config.PUBLIC_URL, application)
    },
  }),
  route({
    name: 'confirmKybDecision',
    method: 'post',
    path: '/kyb/:id/decision/confirm',
    role: 'confirm',
    summary: 'Confirm another operator’s decision on an application',
    retryGuidance: 'command',
    errors: settleKybDecision.refuses.confirm,
    response: { 200: kybDecidedResponse },
    params: idParams,
    body: confirmBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const application = await settleKybDecision(deps, caller, id, confirm(body), effect)
      return presentDecidedKybResponse(deps.config.PUBLIC_URL, application)
    },
  }),
  route({
    name: 'withdrawKybDecision',
    method: 'post',
    path: '/kyb/:id/decision/withdraw',
    role: 'decide',
    summary: 'Withdraw a decision on an application that awaits a second approval',
    retryGuidance: 'command',
    errors: settleKybDecision.refuses.withdraw,
    response: { 200: kybDecidedResponse },
    params: idParams,
    body: withdrawBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const application = await settleKybDecision(deps, caller, id, withdraw(body), effect)
      return presentDecidedKybResponse(deps.config.PUBLIC_URL, application)
    },
  }),
]

/** Routes for the sandbox, where decisions need no operator and incomplete applications can be approved. */
export const sandboxReviewRoutes: readonly Route[] = [
  route({
    name: 'simulateReview',
    method: 'post',
    path: '/sandbox/kyb/:id/simulate_review',
    role: 'api_write',
    summary: 'Decide on a complete or incomplete application (sandbox only)',
    retryGuidance: 'command',
    errors: simulateKybReview.refuses,
    response: { 200: kybChangedResponse },
    params: idParams,
    body: simulateReviewBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const { outcome, reason_code = USUAL_REASON[outcome] } = body
      const decided = { outcome, ...decisionOf({ ...body, reason_code }) }
      const application = await simulateKybReview(deps, caller, id, decided, effect)
      return { body: { data: presentChangedKyb(deps.config.PUBLIC_URL, caller)(application) } }
    },
  }),
]

const USUAL_REASON: Record<ReviewOutcome, ReasonCode> = {
  approved: 'complete',
  rejected: 'other',
  revision_requested: 'other',
}
