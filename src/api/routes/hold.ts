/** Routes for internal holds of identifications, for operators. */

import { listResponse, periodOf } from '../../contracts/common.ts'
import {
  holdDetailsResponse,
  holdListResponse,
  holdResponse,
  liftHoldBody,
  listHoldsQuery,
  placeHoldBody,
} from '../../contracts/hold.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import { findTarget } from '../../use-cases/case/entity-ref.ts'
import {
  getInternalHold,
  liftHold,
  listInternalHolds,
  placeHold,
} from '../../use-cases/identification/hold.ts'
import { presentHoldDetails, presentInternalHold } from '../presenters/hold.ts'
import { type Route, route } from '../routing/route.ts'

export const holdRoutes: readonly Route[] = [
  route({
    name: 'openCase',
    at: 'POST /identifications/:id/cases',
    role: 'decide',
    summary: 'Place an internal hold that blocks services of an identification',
    retryGuidance: 'twice',
    errors: placeHold.refuses,
    response: { 201: holdResponse },
    body: placeHoldBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const target = await findTarget(deps, caller, 'decide', 'identification', id)
      const opened = await placeHold(deps, { actor: caller.actor, effect }, target, body)
      return { status: 201 as const, body: { data: presentInternalHold(opened) } }
    },
  }),
  route({
    name: 'listCases',
    at: 'GET /cases',
    role: 'read_cases',
    summary: 'List the internal holds of all vaults, newest first',
    response: { 200: holdListResponse },
    query: listHoldsQuery,
    handler: async ({ deps, caller, by, query }) => {
      const { vault_id: vaultId, identification_id: identificationId, owner, status } = query
      const scope = vaultsFor(caller, 'read_cases', vaultId)
      const filter = { scope, identificationId, owner, status, ...periodOf(query) }
      const listed = await listInternalHolds(deps, by, filter, query)
      return { body: listResponse(listed, query, presentHoldDetails) }
    },
  }),
  route({
    name: 'getCase',
    at: 'GET /cases/:id',
    role: 'read_cases',
    summary: 'Read an internal hold',
    response: { 200: holdDetailsResponse },
    handler: async ({ deps, caller, by, params: { id } }) => ({
      body: { data: presentHoldDetails(await getInternalHold(deps, caller, by, id)) },
    }),
  }),
  route({
    name: 'closeCase',
    at: 'POST /cases/:id/close',
    role: 'confirm',
    summary: 'Lift an internal hold',
    retryGuidance: 'same',
    errors: liftHold.refuses,
    response: { 200: holdResponse },
    body: liftHoldBody,
    handler: async ({ deps, caller: { actor, grants }, params: { id }, body, effect }) => ({
      body: { data: presentInternalHold(await liftHold(deps, { actor, grants, effect }, id, body)) },
    }),
  }),
]
