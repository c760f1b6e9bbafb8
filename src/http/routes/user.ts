/** Users of vaults and operators, managed by operators who administer. */
import { hashPassword } from '../../access/password.ts'
import { idParams, listAnswer, unixSeconds } from '../../contracts/common.ts'
import {
  createUserBody,
  listUsersQuery,
  patchUserBody,
  userAnswer,
  userListAnswer,
} from '../../contracts/user.ts'
import { type Database, violatedConstraint } from '../../db/database.ts'
import {
  changeRoles,
  endTokens,
  findUser,
  insertUser,
  listUsers,
  replacePassword,
  type User,
  type VaultGrant,
} from '../../db/user.ts'
import { findVault } from '../../db/vault.ts'
import { type Problem, RequestRefused } from '../../domain/errors.ts'
import { newPassword } from '../../storage/random.ts'
import { type Route, route } from '../route.ts'

export const userRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/users',
    role: 'operator_admin',
    summary: 'Create a user of vaults or an operator; the one-time password is shown this once',
    errors: ['email_taken'],
    response: { 201: userAnswer },
    body: createUserBody,
    handler: async ({ deps: { db }, body, effect }) => {
      const { email, vaults, operator_roles: operatorRoles } = body
      await refuseUnknownVaults(db, vaults)
      const { id } = effect
      const password = newPassword()
      const user = { id, email, passwordHash: await hashPassword(password), vaults, operatorRoles }
      return effect.commit(async (tx) => {
        await insertUser(tx, user).catch((error: unknown) => {
          if (violatedConstraint(error) !== 'users_email_hash_unique') throw error
          throw new RequestRefused({ code: 'email_taken', field: 'email' })
        })
        return { answer: { status: 201 as const, ...(await answerUser(tx, id, password)) } }
      })
    },
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
      return { body: listAnswer(users.map(present), totalCount, query) }
    },
  }),
  route({
    method: 'get',
    path: '/users/:id',
    role: 'operator_admin',
    summary: 'Read a user',
    response: { 200: userAnswer },
    params: idParams,
    handler: ({ deps: { db }, params: { id } }) => answerUser(db, id),
  }),
  route({
    method: 'patch',
    path: '/users/:id',
    role: 'operator_admin',
    summary: 'Change the roles of a user',
    response: { 200: userAnswer },
    params: idParams,
    body: patchUserBody,
    handler: async ({ deps: { db }, params: { id }, body: { vaults, operator_roles: operatorRoles } }) => {
      await requireUser(db, id)
      await refuseUnknownVaults(db, vaults ?? [])
      await changeRoles(db, id, { vaults, operatorRoles })
      return answerUser(db, id)
    },
  }),
  route({
    method: 'post',
    path: '/users/:id/reset_password',
    role: 'operator_admin',
    summary: 'Replace the password by a one-time password, shown this once',
    response: { 200: userAnswer },
    params: idParams,
    handler: async ({ deps: { db }, params: { id }, effect }) => {
      await requireUser(db, id)
      const password = newPassword()
      const hash = await hashPassword(password)
      return effect.commit(async (tx) => {
        await replacePassword(tx, id, { hash, oneTime: true })
        return { answer: await answerUser(tx, id, password) }
      })
    },
  }),
  route({
    method: 'post',
    path: '/users/:id/revoke_tokens',
    role: 'operator_admin',
    summary: 'End all access tokens of a user',
    response: { 200: userAnswer },
    params: idParams,
    handler: async ({ deps: { db }, params: { id } }) => {
      await requireUser(db, id)
      await endTokens(db, id)
      return answerUser(db, id)
    },
  }),
]

export async function requireUser(db: Database, id: string): Promise<User> {
  const user = await findUser(db, id)
  if (!user) throw new RequestRefused({ code: 'not_found' })
  return user
}

/** A password is shown when it was made, and never again. */
export async function answerUser(db: Database, id: string, oneTimePassword?: string) {
  const data = present(await requireUser(db, id))
  return { body: { data: { ...data, ...(oneTimePassword && { one_time_password: oneTimePassword }) } } }
}

const present = (user: User) => ({
  id: user.id,
  email: user.email,
  vaults: user.vaults,
  operator_roles: user.operatorRoles,
  otp_required_for_login: user.otpRequiredForLogin,
  password_change_required: user.passwordExpiresAt !== null,
  created_at: unixSeconds(user.createdAt),
})

async function refuseUnknownVaults(db: Database, grants: readonly VaultGrant[]): Promise<void> {
  const found = await Promise.all(grants.map(({ id }) => findVault(db, id)))
  const problems = found.flatMap((vault, n): Problem[] =>
    vault ? [] : [{ code: 'invalid', field: `vaults.${n}.id`, message: 'There is no vault with this id.' }],
  )
  if (problems.length > 0) throw new RequestRefused(...problems)
}
