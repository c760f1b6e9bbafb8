/** Routes for users of vaults and operators, whom administrators create and change. */
import { adminActionResponse } from '../../contracts/admin-action.ts'
import { listResponse } from '../../contracts/common.ts'
import {
  createUserBody,
  grantsOf,
  listUsersQuery,
  patchUserBody,
  samePeopleResponse,
  userListResponse,
  userResponse,
} from '../../contracts/user.ts'
import { requestAction } from '../../use-cases/access/admin-action.ts'
import { getUser, listSamePeople, listUsers, revokeTokens } from '../../use-cases/access/users.ts'
import { presentUser, presentUserWithPassword } from '../presenters/user.ts'
import { type Route, route } from '../routing/route.ts'
import { answerAction } from './requested-action.ts'

export const userRoutes: readonly Route[] = [
  route({
    name: 'createUser',
    at: 'POST /users',
    role: 'administer_deployment',
    summary: 'Create a user or an operator with a one-time password',
    retryGuidance: 'email',
    errors: requestAction.refuses.create_user,
    response: { 201: userResponse, 202: adminActionResponse },
    body: createUserBody,
    handler: ({ body: { email, vaults, ...given }, ...asked }) => {
      const action = { kind: 'create_user', email, vaults, operatorGrants: grantsOf(given) ?? [] } as const
      return answerAction(asked, action, (user) => ({
        status: 201 as const,
        body: { data: presentUserWithPassword(user) },
      }))
    },
  }),
  route({
    name: 'listUsers',
    at: 'GET /users',
    role: 'read_deployment',
    summary: 'List users',
    response: { 200: userListResponse },
    query: listUsersQuery,
    handler: async ({ deps, query }) => ({
      body: listResponse(await listUsers(deps, query), query, presentUser),
    }),
  }),
  route({
    name: 'listSamePeople',
    at: 'GET /users/same_people',
    role: 'read_deployment',
    summary: 'List pairs of operators whose emails suggest one person',
    response: { 200: samePeopleResponse },
    handler: async ({ deps }) => ({
      body: { data: (await listSamePeople(deps)).map(([user, other_user]) => ({ user, other_user })) },
    }),
  }),
  route({
    name: 'getUser',
    at: 'GET /users/:id',
    role: 'read_deployment',
    summary: 'Read a user',
    response: { 200: userResponse },
    handler: async ({ deps, params: { id } }) => ({ body: { data: presentUser(await getUser(deps, id)) } }),
  }),
  route({
    name: 'updateUser',
    at: 'PATCH /users/:id',
    role: 'administer_deployment',
    summary: 'Change a user’s roles',
    retryGuidance: 'same',
    response: { 200: userResponse, 202: adminActionResponse },
    body: patchUserBody,
    handler: ({ params: { id: userId }, body, ...asked }) => {
      const { vaults } = body
      const action = { kind: 'change_roles', userId, vaults, operatorGrants: grantsOf(body) } as const
      return answerAction(asked, action, (user) => ({ body: { data: presentUser(user) } }))
    },
  }),
  route({
    name: 'resetPassword',
    at: 'POST /users/:id/reset_password',
    role: 'administer_deployment',
    summary: 'Replace a user’s password with a one-time password',
    retryGuidance: 'replaced',
    response: { 200: userResponse, 202: adminActionResponse },
    handler: ({ params: { id: userId }, ...asked }) =>
      answerAction(asked, { kind: 'reset_password', userId }, (user) => ({
        body: { data: presentUserWithPassword(user) },
      })),
  }),
  route({
    name: 'revokeTokens',
    at: 'POST /users/:id/revoke_tokens',
    role: 'administer_deployment',
    summary: 'Revoke all of a user’s access tokens',
    retryGuidance: 'same',
    response: { 200: userResponse },
    handler: async ({ deps, by, params: { id } }) => ({
      body: { data: presentUser(await revokeTokens(deps, by, id)) },
    }),
  }),
]
