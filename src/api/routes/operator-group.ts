/** Routes for the groups of the OpenID provider, and the roles that they grant. */
import { adminActionResponse } from '../../contracts/admin-action.ts'
import {
  changeGroupBody,
  groupListResponse,
  groupParams,
  groupResponse,
} from '../../contracts/operator-group.ts'
import { grantsOf } from '../../contracts/user.ts'
import { requestAction } from '../../use-cases/access/admin-action.ts'
import { listGroups, type OperatorGroup } from '../../use-cases/access/operator-groups.ts'
import { recordedGrants } from '../../use-cases/access/users.ts'
import { presentRequestedResponse } from '../presenters/admin-action.ts'
import { type Route, route } from '../routing/route.ts'

const presentGroup = ({ name, operatorGrants }: OperatorGroup) => ({
  name,
  operator_grants: recordedGrants(operatorGrants),
})

const presentChanged = presentRequestedResponse((group: OperatorGroup) => ({
  body: { data: presentGroup(group) },
}))

export const operatorGroupRoutes: readonly Route[] = [
  route({
    name: 'listOperatorGroups',
    method: 'get',
    path: '/operator_groups',
    role: 'read_deployment',
    summary: 'List the groups of the OpenID provider that grant roles',
    response: { 200: groupListResponse },
    handler: async ({ deps }) => ({ body: { data: (await listGroups(deps)).map(presentGroup) } }),
  }),
  route({
    name: 'changeOperatorGroup',
    method: 'put',
    path: '/operator_groups/:name',
    role: 'administer_deployment',
    summary: 'Replace the roles that a group grants',
    retryGuidance: 'same',
    response: { 200: groupResponse, 202: adminActionResponse },
    params: groupParams,
    body: changeGroupBody,
    handler: ({ deps, caller, by, params: { name: group }, body, effect }) => {
      const action = { kind: 'change_group', group, operatorGrants: grantsOf(body) ?? [] } as const
      return effect.answering(presentChanged, (commit) => requestAction(deps, caller, by, action, commit))
    },
  }),
  route({
    name: 'removeOperatorGroup',
    method: 'delete',
    path: '/operator_groups/:name',
    role: 'administer_deployment',
    summary: 'Remove all roles that a group grants',
    retryGuidance: 'same',
    response: { 200: groupResponse, 202: adminActionResponse },
    params: groupParams,
    handler: ({ deps, caller, by, params: { name: group }, effect }) => {
      const action = { kind: 'change_group', group, operatorGrants: [] } as const
      return effect.answering(presentChanged, (commit) => requestAction(deps, caller, by, action, commit))
    },
  }),
]
