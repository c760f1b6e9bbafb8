/** Routes for the groups of the OpenID provider, and the roles that they grant. */
import { adminActionResponse } from '../../contracts/admin-action.ts'
import {
  changeGroupBody,
  groupListResponse,
  groupParams,
  groupResponse,
} from '../../contracts/operator-group.ts'
import { grantsOf } from '../../contracts/user.ts'
import { listGroups, type OperatorGroup } from '../../use-cases/access/operator-groups.ts'
import { recordedGrants } from '../../use-cases/access/users.ts'
import { type Route, route } from '../routing/route.ts'
import { answerAction } from './requested-action.ts'

const presentGroup = ({ name, operatorGrants }: OperatorGroup) => ({
  name,
  operator_grants: recordedGrants(operatorGrants),
})

const presentChanged = (group: OperatorGroup) => ({ body: { data: presentGroup(group) } })

export const operatorGroupRoutes: readonly Route[] = [
  route({
    name: 'listOperatorGroups',
    at: 'GET /operator_groups',
    role: 'read_deployment',
    summary: 'List the groups of the OpenID provider that grant roles',
    response: { 200: groupListResponse },
    handler: async ({ deps }) => ({ body: { data: (await listGroups(deps)).map(presentGroup) } }),
  }),
  route({
    name: 'changeOperatorGroup',
    at: 'PUT /operator_groups/:name',
    role: 'administer_deployment',
    summary: 'Replace the roles that a group grants',
    retryGuidance: 'same',
    response: { 200: groupResponse, 202: adminActionResponse },
    params: groupParams,
    body: changeGroupBody,
    handler: ({ params: { name: group }, body, ...asked }) => {
      const action = { kind: 'change_group', group, operatorGrants: grantsOf(body) ?? [] } as const
      return answerAction(asked, action, presentChanged)
    },
  }),
  route({
    name: 'removeOperatorGroup',
    at: 'DELETE /operator_groups/:name',
    role: 'administer_deployment',
    summary: 'Remove all roles that a group grants',
    retryGuidance: 'same',
    response: { 200: groupResponse, 202: adminActionResponse },
    params: groupParams,
    handler: ({ params: { name: group }, ...asked }) =>
      answerAction(asked, { kind: 'change_group', group, operatorGrants: [] }, presentChanged),
  }),
]
