/** What operators do about identifications: read, decide, add accounts; and its simulation in the sandbox. */
import { v7 as newId } from 'uuid'
import { idParams } from '../../contracts/common.ts'
import { confirm, confirmBody, withdraw, withdrawBody } from '../../contracts/confirmation.ts'
import { type DecisionBody, decisionOf } from '../../contracts/decision.ts'
import {
  accountAnswer,
  decideIdentificationBody,
  identificationAnswer,
  identificationDecidedAnswer,
  simulateVerificationBody,
} from '../../contracts/identification.ts'
import { identificationReviewAnswer } from '../../contracts/review.ts'
import { findIdentification } from '../../db/cases/identification.ts'
import type { EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { moveTo, type Outcome } from '../../domain/identification/identification.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { newReferral } from '../../storage/random.ts'
import { type Asking, runCommand } from '../../use-cases/cases/command.ts'
import { ofAnyVault, ofClient } from '../../use-cases/cases/entity-ref.ts'
import { answerIdentification, answerIdentificationDecided } from '../presenters/identification-answer.ts'
import { answerIdentificationReview } from '../presenters/review-answer.ts'
import { type Route, route } from '../route.ts'

export const identificationReviewRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/identifications/:id',
    role: 'operator_review',
    summary: 'Read an identification with everything that a decision needs',
    response: { 200: identificationReviewAnswer },
    params: idParams,
    handler: async ({ deps, params: { id } }) =>
      answerIdentificationReview(deps, await ofAnyVault(deps.db, 'identification', id)),
  }),
  route({
    method: 'post',
    path: '/identifications/:id/decision',
    role: 'operator_review',
    summary: 'Decide about a verification',
    lost: 'command',
    errors: [
      'invalid_transition',
      'identification_erased',
      'hits_open',
      'not_screened',
      'decision_pending',
      'stale_version',
    ],
    response: { 200: identificationDecidedAnswer },
    params: idParams,
    body: decideIdentificationBody,
    handler: async ({ deps, caller: { actor }, params: { id }, body, effect }) => {
      const target = await ofAnyVault(deps.db, 'identification', id)
      await decide(deps, { actor, effect }, target, body)
      return answerIdentificationDecided(deps, target, effect)
    },
  }),
  route({
    method: 'post',
    path: '/identifications/:id/decision/confirm',
    role: 'operator_review',
    summary: 'Confirm what another operator has decided about a verification or a case',
    lost: 'command',
    errors: [
      'invalid_transition',
      'identification_erased',
      'hits_open',
      'not_screened',
      'no_decision_pending',
      'same_operator',
      'stale_version',
    ],
    response: { 200: identificationDecidedAnswer },
    params: idParams,
    body: confirmBody,
    handler: async ({ deps, caller: { actor }, params: { id }, body, effect }) => {
      const target = await ofAnyVault(deps.db, 'identification', id)
      await runCommand(deps, { actor, effect }, target, confirm(body))
      return answerIdentificationDecided(deps, target, effect)
    },
  }),
  route({
    method: 'post',
    path: '/identifications/:id/decision/withdraw',
    role: 'operator_review',
    summary: 'Withdraw a decision about a verification or a case that waits for confirmation',
    lost: 'command',
    errors: ['identification_erased', 'no_decision_pending', 'stale_version'],
    response: { 200: identificationDecidedAnswer },
    params: idParams,
    body: withdrawBody,
    handler: async ({ deps, caller: { actor }, params: { id }, body, effect }) => {
      const target = await ofAnyVault(deps.db, 'identification', id)
      await runCommand(deps, { actor, effect }, target, withdraw(body))
      return answerIdentificationDecided(deps, target, effect)
    },
  }),
  route({
    method: 'post',
    path: '/identifications/:id/accounts',
    role: 'operator_review',
    summary: 'Add an account to an identification',
    lost: 'command',
    errors: ['identification_closed', 'identification_erased', 'invalid_transition'],
    response: { 201: accountAnswer },
    params: idParams,
    handler: async ({ deps, caller: { actor }, params: { id }, effect }) => {
      const target = await ofAnyVault(deps.db, 'identification', id)
      const command = { kind: 'add_account', account: { id: newId(), referral: newReferral() } } as const
      const earlier = await runCommand(deps, { actor, effect }, target, command)
      const { account } = earlier?.command.kind === 'add_account' ? earlier.command : command
      return { status: 201 as const, body: { data: account } }
    },
  }),
]

/** The sandbox decides without an operator and without the provider; appeals are for operators. */
export const sandboxVerificationRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/sandbox/identifications/:id/simulate',
    role: 'api_write',
    summary: 'Decide about a verification (sandbox only)',
    lost: 'command',
    errors: ['invalid_transition', 'identification_erased', 'decision_pending', 'hits_open', 'not_screened'],
    response: { 200: identificationAnswer },
    params: idParams,
    body: simulateVerificationBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const target = await ofClient(deps.db, caller, 'api_write', 'identification', id)
      const identification = await findIdentification(deps.db, target.vaultId, id)
      const isAppeal = identification?.state.verification === 'rejected'
      const isDone = effect.isRerun && (await deps.gateway.earlier(target, effect.id)) !== null
      if (isAppeal && !isDone) throw new RequestRefused({ code: 'invalid_transition' })
      await decide(deps, { actor: caller.actor, effect }, target, body)
      return answerIdentification(deps, target, effect)
    },
  }),
]

const decide = (
  deps: RouteDeps,
  asking: Asking,
  target: EntityRef<'identification'>,
  body: DecisionBody & { readonly outcome: Outcome },
) => runCommand(deps, asking, target, { kind: moveTo(body.outcome), ...decisionOf(body) })
