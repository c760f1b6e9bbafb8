/** Decisions about identifications by operators, and their simulation in the sandbox (design, section 6.7). */
import { v7 as newId } from 'uuid'
import { idParams } from '../contracts/common.ts'
import {
  accountAnswer,
  decideIdentificationRequest,
  identificationAnswer,
  simulateVerification,
} from '../contracts/identification.ts'
import { findIdentification } from '../db/identification.ts'
import { RequestRefused } from '../domain/errors.ts'
import { newReferral } from '../storage/random.ts'
import type { AppDeps } from './deps.ts'
import {
  decideVerification,
  runIdentificationCommand,
  vaultOf,
  vaultOfClients,
} from './identification-command.ts'
import { type Route, route } from './route.ts'

export const identificationReviewRoutes = (deps: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/identifications/:id/decision',
    role: 'operator_review',
    summary: 'Decide about a verification',
    errors: ['invalid_transition', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: idParams,
    body: decideIdentificationRequest,
    handler: async ({ caller, params: { id }, body, effect }) =>
      decideVerification(deps, caller, effect, { id, vaultId: await vaultOf(deps.db, id) }, body),
  }),
  route({
    method: 'post',
    path: '/identifications/:id/accounts',
    role: 'operator_review',
    summary: 'Add an account to an identification',
    errors: ['identification_closed', 'identification_erased'],
    response: { 201: accountAnswer },
    params: idParams,
    handler: async ({ caller, params: { id }, effect }) => {
      const ref = { id, vaultId: await vaultOf(deps.db, id) }
      const account = { id: newId(), referral: newReferral() }
      const command = { kind: 'add_account', account } as const
      const earlier = await runIdentificationCommand(deps, caller, effect, ref, command)
      const data = earlier ? (earlier.payload as typeof command).account : account
      return { status: 201 as const, body: { data } }
    },
  }),
]

/** The sandbox decides without an operator and without the provider; appeals are for operators. */
export const sandboxVerificationRoutes = (deps: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/sandbox/identifications/:id/simulate',
    role: 'api_write',
    summary: 'Decide about a verification (sandbox only)',
    errors: ['invalid_transition', 'identification_erased'],
    response: { 200: identificationAnswer },
    params: idParams,
    body: simulateVerification,
    handler: async ({ caller, params: { id }, body, effect }) => {
      const vaultId = await vaultOfClients(deps.db, caller, 'api_write', id)
      const identification = await findIdentification(deps.db, vaultId, id)
      const appeal = identification?.state.verification === 'rejected'
      if (appeal && !(await deps.gateway.earlier(effect)))
        throw new RequestRefused({ code: 'invalid_transition' })
      return decideVerification(deps, caller, effect, { id, vaultId }, body)
    },
  }),
]
