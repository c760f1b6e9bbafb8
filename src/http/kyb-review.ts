/** The review of KYB applications by operators, and its simulation in the sandbox (design, section 5.7). */
import type { z } from 'zod'
import { idParams } from '../contracts/common.ts'
import { decideKybRequest, kybAnswer, simulateReview } from '../contracts/kyb-application.ts'
import { findKybApplication, vaultOfKybApplication } from '../db/kyb-application.ts'
import { RequestRefused } from '../domain/errors.ts'
import type { ReasonCode, ReviewOutcome } from '../domain/kyb-application.ts'
import type { DecisionKind } from '../domain/kyb-transition.ts'
import type { Caller } from './authentication.ts'
import type { AppDeps } from './deps.ts'
import type { Effect } from './idempotency.ts'
import { presentKyb } from './kyb-answer.ts'
import { type KybRef, runKybCommand, vaultOfKyb } from './kyb-application.ts'
import { type Route, route } from './route.ts'

/** Operators belong to no vault: the application says whose it is. */
export const kybReviewRoutes = (deps: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/kyb/:id/decision',
    role: 'operator_review',
    summary: 'Decide about an application',
    errors: [
      { code: 'kyb_processed', status: 422 },
      { code: 'kyb_abandoned', status: 422 },
      'requirements_due',
    ],
    response: { 200: kybAnswer },
    params: idParams,
    body: decideKybRequest,
    handler: async ({ caller, params: { id }, body, effect }) => {
      const vaultId = await vaultOfKybApplication(deps.db, id)
      if (!vaultId) throw new RequestRefused({ code: 'not_found' })
      return decide(deps, caller, effect, { id, vaultId }, DECISIONS[body.outcome], body)
    },
  }),
]

/** The sandbox decides without an operator, and approves whatever is missing. */
export const sandboxReviewRoutes = (deps: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/sandbox/kyb/:id/simulate_review',
    role: 'api_write',
    summary: 'Decide about an application, complete or not (sandbox only)',
    errors: [
      { code: 'kyb_processed', status: 422 },
      { code: 'kyb_abandoned', status: 422 },
    ],
    response: { 200: kybAnswer },
    params: idParams,
    body: simulateReview,
    handler: async ({ caller, params: { id }, body, effect }) => {
      const kind = body.outcome === 'approved' ? 'approve_incomplete' : DECISIONS[body.outcome]
      const vaultId = await vaultOfKyb(deps.db, caller, 'api_write', id)
      return decide(deps, caller, effect, { id, vaultId }, kind, body)
    },
  }),
]

const DECISIONS: Record<ReviewOutcome, DecisionKind> = {
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
  deps: AppDeps,
  caller: Caller,
  effect: Effect,
  ref: KybRef,
  kind: DecisionKind,
  body: z.output<typeof simulateReview>,
) {
  await runKybCommand(deps, caller, effect, ref, {
    kind,
    reasonCode: body.reason_code ?? USUAL_REASON[body.outcome],
    clientComment: body.client_comment,
    internalNote: body.internal_note,
    fields: body.fields,
  })
  const application = await findKybApplication(deps.db, ref.vaultId, ref.id)
  if (!application) throw new RequestRefused({ code: 'not_found' })
  return { body: { data: presentKyb(deps.config.PUBLIC_URL)(application) } }
}
