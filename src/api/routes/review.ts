/** Routes for reviewing applications and identifications, and for simulating decisions in the sandbox. */
import type { z } from 'zod'
import { confirm, confirmBody, withdraw, withdrawBody } from '../../contracts/confirmation.ts'
import { type DecisionBody, decisionOf } from '../../contracts/decision.ts'
import {
  accountResponse,
  decideIdentificationBody,
  identificationChangedResponse,
  identificationDecidedResponse,
  simulateVerificationBody,
} from '../../contracts/identification.ts'
import {
  decideKybBody,
  kybChangedResponse,
  kybDecidedResponse,
  simulateReviewBody,
} from '../../contracts/kyb-application.ts'
import { changeProfileBody } from '../../contracts/profile.ts'
import { identificationReviewResponse, kybReviewResponse } from '../../contracts/review.ts'
import type { ReasonCode } from '../../domain/decision/decision.ts'
import type { Entity } from '../../domain/entity/entity.ts'
import type { Decided, Outcomes, Records } from '../../domain/entity/rules.ts'
import type { ReviewOutcome } from '../../domain/kyb/application.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { changeProfile, decideCase, settleDecision, simulateDecision } from '../../use-cases/case/decision.ts'
import { findTarget } from '../../use-cases/case/entity-ref.ts'
import { addAccount, withVerified } from '../../use-cases/identification/identification.ts'
import { getIdentificationReview, getKybReview } from '../../use-cases/review/review.ts'
import { presentChangedResponse, presentDecidedIdentificationResponse } from '../presenters/identification.ts'
import { presentChangedKyb, presentDecidedKybResponse } from '../presenters/kyb-application.ts'
import { presentIdentificationReviewResponse, presentKybReviewResponse } from '../presenters/review.ts'
import type { EntityPath } from '../routing/entity-routes.ts'
import { type ResponseOf, type Route, route } from '../routing/route.ts'

/** The part of the routes for decisions that differs between applications and identifications. */
interface Kind<E extends Entity, B extends z.ZodType, R extends z.ZodType<object>> {
  readonly entity: E
  readonly path: EntityPath
  readonly names: Readonly<Record<'decide' | 'confirm' | 'withdraw' | 'move', string>>
  /** The subject of a decision, and of a decision that can also be about a hold. */
  readonly subject: string
  readonly settled: string
  readonly body: B
  readonly response: R
  readonly present: (deps: RouteDeps, record: Records[E]) => ResponseOf<{ readonly 200: R }>
}

function decisionRoutes<E extends Entity, B extends z.ZodType, R extends z.ZodType<object>>({
  entity,
  path,
  names,
  subject,
  settled,
  body,
  response,
  present,
}: Kind<E, B, R>): Route[] {
  return [
    route({
      name: names.decide,
      at: `POST ${path}/decision`,
      role: 'decide',
      summary: `Decide on ${subject}`,
      retryGuidance: 'command',
      errors: decideCase.refuses[entity],
      response: { 200: response },
      body,
      handler: async ({ deps, caller, params: { id }, body, effect }) => {
        const decided = decidedIn<E>(body as DecisionBody & { outcome: Outcomes[E] })
        return present(deps, await decideCase(deps, caller, { entity, id }, decided, effect))
      },
    }),
    route({
      name: names.confirm,
      at: `POST ${path}/decision/confirm`,
      role: 'confirm',
      summary: `Confirm another operator’s decision on ${settled}`,
      retryGuidance: 'command',
      errors: settleDecision.refuses.confirm[entity],
      response: { 200: response },
      body: confirmBody,
      handler: async ({ deps, caller, params: { id }, body, effect }) =>
        present(deps, await settleDecision(deps, caller, { entity, id }, confirm(body), effect)),
    }),
    route({
      name: names.withdraw,
      at: `POST ${path}/decision/withdraw`,
      role: 'decide',
      summary: `Withdraw a decision on ${settled} that awaits a second approval`,
      retryGuidance: 'command',
      errors: settleDecision.refuses.withdraw[entity],
      response: { 200: response },
      body: withdrawBody,
      handler: async ({ deps, caller, params: { id }, body, effect }) =>
        present(deps, await settleDecision(deps, caller, { entity, id }, withdraw(body), effect)),
    }),
    route({
      name: names.move,
      at: `POST ${path}/profile`,
      role: 'decide',
      summary: `Move ${subject} to a later version of its vault’s profile`,
      retryGuidance: 'command',
      errors: changeProfile.refuses[entity],
      response: { 200: response },
      body: changeProfileBody,
      handler: async ({ deps, caller, by, params: { id }, body, effect }) =>
        present(deps, await changeProfile(deps, caller, by, { entity, id }, body.profile_version, effect)),
    }),
  ]
}

const decidedIn = <E extends Entity>(body: DecisionBody & { readonly outcome: Outcomes[E] }) =>
  ({ outcome: body.outcome, ...decisionOf(body) }) as Decided<E>

export const reviewRoutes: readonly Route[] = [
  route({
    name: 'getKybApplication',
    at: 'GET /kyb/:id',
    role: 'read_cases',
    summary: 'Read an application with all the data needed for a decision',
    response: { 200: kybReviewResponse },
    handler: async ({ deps, caller, by, params: { id } }) => {
      const target = await findTarget(deps, caller, 'read_cases', 'kyb', id)
      const review = await getKybReview(deps, caller, by, target)
      return presentKybReviewResponse(deps.config.PUBLIC_URL, review)
    },
  }),
  ...decisionRoutes({
    entity: 'kyb',
    path: '/kyb/:id',
    names: {
      decide: 'decideKybApplication',
      confirm: 'confirmKybDecision',
      withdraw: 'withdrawKybDecision',
      move: 'changeKybProfile',
    },
    subject: 'an application',
    settled: 'an application',
    body: decideKybBody,
    response: kybDecidedResponse,
    present: ({ config }, application) => presentDecidedKybResponse(config.PUBLIC_URL, application),
  }),
  route({
    name: 'getIdentification',
    at: 'GET /identifications/:id',
    role: 'read_cases',
    summary: 'Read an identification with all the data needed for a decision',
    response: { 200: identificationReviewResponse },
    handler: async ({ deps, caller, by, params: { id } }) => {
      const target = await findTarget(deps, caller, 'read_cases', 'identification', id)
      return presentIdentificationReviewResponse(await getIdentificationReview(deps, caller, by, target))
    },
  }),
  ...decisionRoutes({
    entity: 'identification',
    path: '/identifications/:id',
    names: {
      decide: 'decideIdentification',
      confirm: 'confirmIdentificationDecision',
      withdraw: 'withdrawIdentificationDecision',
      move: 'changeIdentificationProfile',
    },
    subject: 'a verification',
    settled: 'a verification or a hold',
    body: decideIdentificationBody,
    response: identificationDecidedResponse,
    present: (_, identification) => presentDecidedIdentificationResponse(identification),
  }),
  route({
    name: 'addAccount',
    at: 'POST /identifications/:id/accounts',
    role: 'decide',
    summary: 'Add an account to an identification',
    retryGuidance: 'command',
    errors: addAccount.refuses,
    response: { 201: accountResponse },
    handler: async ({ deps, caller, params: { id }, effect }) => ({
      status: 201 as const,
      body: { data: await addAccount(deps, caller, id, effect) },
    }),
  }),
]

/**
 * Routes for the sandbox, where decisions need no operator or provider. Incomplete applications can be approved. Only an
 * appeal still needs an operator.
 */
export const sandboxReviewRoutes: readonly Route[] = [
  route({
    name: 'simulateReview',
    at: 'POST /sandbox/kyb/:id/simulate_review',
    role: 'api_write',
    summary: 'Decide on a complete or incomplete application (sandbox only)',
    retryGuidance: 'command',
    errors: simulateDecision.refuses.kyb,
    response: { 200: kybChangedResponse },
    body: simulateReviewBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const decided = decidedIn<'kyb'>({
        ...body,
        reason_code: body.reason_code ?? USUAL_REASON[body.outcome],
      })
      const application = await simulateDecision(deps, caller, { entity: 'kyb', id }, decided, effect)
      return { body: { data: presentChangedKyb(deps.config.PUBLIC_URL, caller)(application) } }
    },
  }),
  route({
    name: 'simulateVerification',
    at: 'POST /sandbox/identifications/:id/simulate',
    role: 'api_write',
    summary: 'Decide on a verification (sandbox only)',
    retryGuidance: 'command',
    errors: simulateDecision.refuses.identification,
    response: { 200: identificationChangedResponse },
    body: simulateVerificationBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const target = { entity: 'identification', id } as const
      const decided = decidedIn<'identification'>(body)
      const identification = await simulateDecision(deps, caller, target, decided, effect)
      return presentChangedResponse(caller, await withVerified(deps, identification))
    },
  }),
]

const USUAL_REASON: Record<ReviewOutcome, ReasonCode> = {
  approved: 'complete',
  rejected: 'other',
  revision_requested: 'other',
}
