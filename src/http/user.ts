/** Users of vaults and operators, managed by operators who administer (design, section 6.7). */
import { v7 as newId } from 'uuid'
import { hashPassword } from '../access/password.ts'
import { idParams, listAnswer, unixSeconds } from '../contracts/common.ts'
import { createUser, listUsers, patchUser } from '../contracts/user.ts'
import { type Database, violatedConstraint } from '../db/database.ts'
import {
  changeRoles,
  endTokens,
  findUser,
  insertUser,
  listUsers as listRows,
  replacePassword,
  type User,
  type VaultGrant,
} from '../db/user.ts'
import { findVault } from '../db/vault.ts'
import { type Problem, RequestRefused } from '../domain/errors.ts'
import { newPassword } from '../storage/random.ts'
import type { AppDeps } from './deps.ts'
import { type Answer, type Route, route } from './route.ts'

export const userRoutes = ({ db }: AppDeps): Route[] => [
  route({
    method: 'post',
    path: '/users',
    role: 'operator_admin',
    body: createUser,
    handler: async ({ body: { email, vaults, operator_roles: operatorRoles } }) => {
      await refuseUnknownVaults(db, vaults)
      const [id, password] = [newId(), newPassword()]
      const user = { id, email, passwordHash: await hashPassword(password), vaults, operatorRoles }
      await insertUser(db, user).catch((error: unknown) => {
        if (violatedConstraint(error) !== 'users_email_hash_unique') throw error
        throw new RequestRefused({ code: 'email_taken', field: 'email' })
      })
      return answerUser(db, id, { status: 201, oneTimePassword: password })
    },
  }),
  route({
    method: 'get',
    path: '/users',
    role: 'operator_admin',
    query: listUsers,
    handler: async ({ query }) => {
      const { users, totalCount } = await listRows(db, query)
      return { body: listAnswer(users.map(present), totalCount, query) }
    },
  }),
  route({
    method: 'get',
    path: '/users/:id',
    role: 'operator_admin',
    params: idParams,
    handler: ({ params: { id } }) => answerUser(db, id),
  }),
  route({
    method: 'patch',
    path: '/users/:id',
    role: 'operator_admin',
    params: idParams,
    body: patchUser,
    handler: async ({ params: { id }, body: { vaults, operator_roles: operatorRoles } }) => {
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
    params: idParams,
    handler: async ({ params: { id } }) => {
      await requireUser(db, id)
      const password = newPassword()
      await replacePassword(db, id, { hash: await hashPassword(password), oneTime: true })
      return answerUser(db, id, { oneTimePassword: password })
    },
  }),
  route({
    method: 'post',
    path: '/users/:id/revoke_tokens',
    role: 'operator_admin',
    params: idParams,
    handler: async ({ params: { id } }) => {
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
export async function answerUser(
  db: Database,
  id: string,
  { status = 200, oneTimePassword }: { status?: number; oneTimePassword?: string } = {},
): Promise<Answer> {
  const data = present(await requireUser(db, id))
  return {
    status,
    body: { data: { ...data, ...(oneTimePassword && { one_time_password: oneTimePassword }) } },
  }
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
