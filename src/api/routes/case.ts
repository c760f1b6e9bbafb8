/** Routes for internal cases of identifications, for operators. */

import {
  caseDetailsResponse,
  caseListResponse,
  caseResponse,
  closeCaseBody,
  listCasesQuery,
  openCaseBody,
} from '../../contracts/case.ts'
import { idParams, listResponse, periodOf } from '../../contracts/common.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import { byOf } from '../../http/address.ts'
import { findTarget } from '../../use-cases/case/entity-ref.ts'
import { getCase, listCases } from '../../use-cases/identification/cases.ts'
import { closeCase, openCase } from '../../use-cases/identification/internal-case.ts'
import { presentCase, presentCaseDetails } from '../presenters/case.ts'
import { type Route, route } from '../routing/route.ts'

export const caseRoutes: readonly Route[] = [
  route({
    name: 'openCase',
    method: 'post',
    path: '/identifications/:id/cases',
    role: 'decide',
    summary: 'Open an internal case that blocks services of an identification',
    retryGuidance: 'twice',
    errors: ['invalid_transition', 'identification_erased'],
    response: { 201: caseResponse },
    params: idParams,
    body: openCaseBody,
    handler: async ({ deps, caller, params: { id }, body, effect }) => {
      const target = await findTarget(deps, caller, 'decide', 'identification', id)
      const opened = await openCase(deps, { actor: caller.actor, effect }, target, body)
      return { status: 201 as const, body: { data: presentCase(opened) } }
    },
  }),
  route({
    name: 'listCases',
    method: 'get',
    path: '/cases',
    role: 'read_cases',
    summary: 'List the internal cases of all vaults, newest first',
    response: { 200: caseListResponse },
    query: listCasesQuery,
    handler: async ({ deps, caller, query }) => {
      const { vault_id: vaultId, identification_id: identificationId, owner, status } = query
      const scope = vaultsFor(caller, 'read_cases', vaultId)
      const filter = { scope, identificationId, owner, status, ...periodOf(query) }
      const { cases, totalCount } = await listCases(deps, filter, query)
      return { body: listResponse(cases.map(presentCaseDetails), totalCount, query) }
    },
  }),
  route({
    name: 'getCase',
    method: 'get',
    path: '/cases/:id',
    role: 'read_cases',
    summary: 'Read an internal case',
    response: { 200: caseDetailsResponse },
    params: idParams,
    handler: async ({ deps, caller, req, params: { id } }) => ({
      body: { data: presentCaseDetails(await getCase(deps, caller, byOf(caller, req), id)) },
    }),
  }),
  route({
    name: 'closeCase',
    method: 'post',
    path: '/cases/:id/close',
    role: 'confirm',
    summary: 'Close an internal case',
    retryGuidance: 'same',
    errors: [
      'stale_version',
      'decision_pending',
      { code: 'identification_closed', status: 422 },
      { code: 'identification_erased', status: 422 },
    ],
    response: { 200: caseResponse },
    params: idParams,
    body: closeCaseBody,
    handler: async ({ deps, caller: { actor, grants }, params: { id }, body, effect }) => ({
      body: { data: presentCase(await closeCase(deps, { actor, grants, effect }, id, body)) },
    }),
  }),
]
