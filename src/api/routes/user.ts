/** Users of vaults and operators, managed by operators who administer. */
import { idParams, listAnswer } from '../../contracts/common.ts'
import {
  createUserBody,
  listUsersQuery,
  patchUserBody,
  userAnswer,
  userListAnswer,
} from '../../contracts/user.ts'
import { listUsers } from '../../db/access/user.ts'
import { byOf } from '../../http/address.ts'
import {
  answerUser,
  changeUserRoles,
  createUser,
  presentUser,
  requireUser,
  resetPassword,
  revokeTokens,
} from '../../use-cases/access/users.ts'
import { type Route, route } from '../route.ts'

export const userRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/users',
    role: 'operator_admin',
    summary: 'Create a user of vaults or an operator; the one-time password is shown this once',
    lost: 'email',
    errors: ['email_taken'],
    response: { 201: userAnswer },
    body: createUserBody,
    handler: ({ deps: { db }, caller, req, body, effect }) =>
      createUser(db, { by: byOf(caller, req), effect }, body),
  }),
  route({
    method: 'get',
    path: '/users',
    role: 'operator_admin',
    summary: 'List users',
    response: { 200: userListAnswer },
    query: listUsersQuery,
    handler: async ({ deps: { db }, query }) => {
      const { users, totalCount } = await listUsers(db, query)
      return { body: listAnswer(users.map(presentUser), totalCount, query) }
    },
  }),
  route({
    method: 'get',
    path: '/users/:id',
    role: 'operator_admin',
    summary: 'Read a user',
    response: { 200: userAnswer },
    params: idParams,
    handler: async ({ deps: { db }, params: { id } }) => ({ body: answerUser(await requireUser(db, id)) }),
  }),
  route({
    method: 'patch',
    path: '/users/:id',
    role: 'operator_admin',
    summary: 'Change the roles of a user',
    lost: 'same',
    response: { 200: userAnswer },
    params: idParams,
    body: patchUserBody,
    handler: async ({ deps: { db }, caller, req, params: { id }, body }) => ({
      body: answerUser(await changeUserRoles(db, byOf(caller, req), id, body)),
    }),
  }),
  route({
    method: 'post',
    path: '/users/:id/reset_password',
    role: 'operator_admin',
    summary: 'Replace the password by a one-time password, shown this once',
    lost: 'replaced',
    response: { 200: userAnswer },
    params: idParams,
    handler: ({ deps: { db }, caller, req, params: { id }, effect }) =>
      resetPassword(db, { by: byOf(caller, req), effect }, id),
  }),
  route({
    method: 'post',
    path: '/users/:id/revoke_tokens',
    role: 'operator_admin',
    summary: 'End all access tokens of a user',
    lost: 'same',
    response: { 200: userAnswer },
    params: idParams,
    handler: async ({ deps: { db }, caller, req, params: { id } }) => ({
      body: answerUser(await revokeTokens(db, byOf(caller, req), id)),
    }),
  }),
]
