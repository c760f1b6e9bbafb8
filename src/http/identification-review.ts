/** Decisions about identifications by operators, and their simulation in the sandbox (design, section 6.7). */
import { v7 as newId } from 'uuid'
import { idParams } from '../contracts/common.ts'
import { decideIdentificationRequest, simulateVerification } from '../contracts/identification.ts'
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
    params: idParams,
    body: decideIdentificationRequest,
    handler: async ({ caller, params: { id }, body }) =>
      decideVerification(deps, caller, await vaultOf(deps.db, id), id, body),
  }),
  route({
    method: 'post',
    path: '/identifications/:id/accounts',
    role: 'operator_review',
    params: idParams,
    handler: async ({ caller, params: { id } }) => {
      const vaultId = await vaultOf(deps.db, id)
      const account = { id: newId(), referral: newReferral() }
      await runIdentificationCommand(deps, caller, vaultId, id, { kind: 'add_account', account })
      return { status: 201, body: { data: account } }
    },
  }),
]

/** The sandbox decides without an operator and without the provider; appeals are for operators. */
export const sandboxVerificationRoutes = (deps: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/sandbox/identifications/:id/simulate',
    role: 'api_write',
    params: idParams,
    body: simulateVerification,
    handler: async ({ caller, params: { id }, body }) => {
      const vaultId = await vaultOfClients(deps.db, caller, 'api_write', id)
      const identification = await findIdentification(deps.db, vaultId, id)
      if (identification?.state.verification === 'rejected')
        throw new RequestRefused({ code: 'invalid_transition' })
      return decideVerification(deps, caller, vaultId, id, body)
    },
  }),
]
