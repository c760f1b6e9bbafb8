/** Routes for reviewing identifications, adding accounts, and simulating decisions in the sandbox. */
import { idParams } from '../../contracts/common.ts'
import { confirm, confirmBody, withdraw, withdrawBody } from '../../contracts/confirmation.ts'
import { decisionOf } from '../../contracts/decision.ts'
import {
  accountResponse,
  decideIdentificationBody,
  identificationChangedResponse,
  identificationDecidedResponse,
  simulateVerificationBody,
} from '../../contracts/identification.ts'
import { identificationReviewResponse } from '../../contracts/review.ts'
import { byOf } from '../../http/address.ts'
import { findTarget } from '../../use-cases/case/entity-ref.ts'
import {
  addAccount,
  decideAboutVerification,
  settleVerificationDecision,
  simulateVerification,
} from '../../use-cases/identification/decision.ts'
import { withVerified } from '../../use-cases/identification/identification.ts'
import { getIdentificationReview } from '../../use-cases/review/review.ts'
import { presentChangedResponse, presentDecidedIdentificationResponse } from '../presenters/identification.ts'
import { presentIdentificationReviewResponse } from '../presenters/review.ts'
import { type Route, route } from '../routing/route.ts'

/** The error for a decision about an erased identification. */
export const identificationReviewRoutes: readonly Route[] = [
  route({
    name: 'getIdentification',
    method: 'get',
    path: '/identifications/:id',
    role: 'read_cases',
    summary: 'Read an identification with all the data needed for a decision',
    response: { 200: identificationReviewResponse },
    params: idParams,
    handler: async ({ deps, caller, req, params: { id } }) => {
      const target = await findTarget(deps, caller, 'read_cases', 'identification', id)
      return presentIdentificationReviewResponse(
        await getIdentificationReview(deps, caller, byOf(caller, req), target),
      )
    },
  }),
  route({
    name: 'decideIdentification',
    method: 'post',
    path: '/identifications/:id/decision',
    role: 'decide',
    summary: 'Decide on a verification',
    retryGuidance: 'command',
    errors: decideAboutVerification.refuses,
    response: { 200: identificationDecidedResponse },
    params: idParams,
    body: decideIdentificationBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const decided = { outcome: body.outcome, ...decisionOf(body) }
      return presentDecidedIdentificationResponse(
        await decideAboutVerification(deps, caller, id, decided, effect),
      )
    },
  }),
  route({
    name: 'confirmIdentificationDecision',
    method: 'post',
    path: '/identifications/:id/decision/confirm',
    role: 'confirm',
    summary: 'Confirm another operator’s decision on a verification or a case',
    retryGuidance: 'command',
    errors: settleVerificationDecision.refuses.confirm,
    response: { 200: identificationDecidedResponse },
    params: idParams,
    body: confirmBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) =>
      presentDecidedIdentificationResponse(
        await settleVerificationDecision(deps, caller, id, confirm(body), effect),
      ),
  }),
  route({
    name: 'withdrawIdentificationDecision',
    method: 'post',
    path: '/identifications/:id/decision/withdraw',
    role: 'decide',
    summary: 'Withdraw a decision on a verification or a case that awaits a second approval',
    retryGuidance: 'command',
    errors: settleVerificationDecision.refuses.withdraw,
    response: { 200: identificationDecidedResponse },
    params: idParams,
    body: withdrawBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) =>
      presentDecidedIdentificationResponse(
        await settleVerificationDecision(deps, caller, id, withdraw(body), effect),
      ),
  }),
  route({
    name: 'addAccount',
    method: 'post',
    path: '/identifications/:id/accounts',
    role: 'decide',
    summary: 'Add an account to an identification',
    retryGuidance: 'command',
    errors: addAccount.refuses,
    response: { 201: accountResponse },
    params: idParams,
    handler: async ({ deps, caller, params: { id }, effect }) => ({
      status: 201 as const,
      body: { data: await addAccount(deps, caller, id, effect) },
    }),
  }),
]

/** Routes for the sandbox, where decisions need no operator or provider. Only an appeal still needs an operator. */
export const sandboxVerificationRoutes: readonly Route[] = [
  route({
    name: 'simulateVerification',
    method: 'post',
    path: '/sandbox/identifications/:id/simulate',
    role: 'api_write',
    summary: 'Decide on a verification (sandbox only)',
    retryGuidance: 'command',
    errors: simulateVerification.refuses,
    response: { 200: identificationChangedResponse },
    params: idParams,
    body: simulateVerificationBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const decided = { outcome: body.outcome, ...decisionOf(body) }
      return presentChangedResponse(
        caller,
        await withVerified(deps, await simulateVerification(deps, caller, id, decided, effect)),
      )
    },
  }),
]
