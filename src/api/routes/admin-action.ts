/** Routes for administrative actions that await a second administrator. */
import {
  adminActionListResponse,
  adminActionResponse,
  listAdminActionsQuery,
} from '../../contracts/admin-action.ts'
import { listResponse } from '../../contracts/common.ts'
import {
  type ConfirmedAction,
  confirmAction,
  listAdminProposals,
  withdrawAction,
} from '../../use-cases/access/admin-action.ts'
import { presentProposal } from '../presenters/admin-action.ts'
import { type Route, route } from '../routing/route.ts'

export const adminActionRoutes: readonly Route[] = [
  route({
    name: 'listAdminActions',
    at: 'GET /admin_actions',
    role: 'read_settings',
    summary: 'List the administrative actions that await a second approval, newest first',
    response: { 200: adminActionListResponse },
    query: listAdminActionsQuery,
    handler: async ({ deps, caller, query }) => ({
      body: listResponse(await listAdminProposals(deps, caller, query), query, presentProposal),
    }),
  }),
  route({
    name: 'confirmAdminAction',
    at: 'POST /admin_actions/:id/confirm',
    role: 'administer',
    summary: 'Confirm and run another administrator’s action',
    retryGuidance: 'same',
    errors: confirmAction.refuses,
    response: { 200: adminActionResponse },
    handler: ({ caller, by, params: { id }, effect }) =>
      effect.answering(
        ({ proposal, passwordHalf }: ConfirmedAction) => ({
          body: { data: presentProposal(proposal, passwordHalf) },
        }),
        (commit) => confirmAction(caller, by, id, commit),
      ),
  }),
  route({
    name: 'withdrawAdminAction',
    at: 'POST /admin_actions/:id/withdraw',
    role: 'administer',
    summary: 'Withdraw an administrative action that awaits a second approval',
    retryGuidance: 'same',
    response: { 200: adminActionResponse },
    handler: async ({ deps, caller, by, params: { id } }) => ({
      body: { data: presentProposal(await withdrawAction(deps, caller, by, id)) },
    }),
  }),
]
