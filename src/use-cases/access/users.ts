/** Use cases for users of vaults and operators, whom administrators create and change. */
import { recordAudit } from '../../db/access/audit.ts'
import {
  changeRoles,
  findUser,
  getUserForUpdate,
  insertUser,
  listUsers as listAll,
  replacePassword,
  revokeUserTokens,
} from '../../db/access/user.ts'
import { findVault } from '../../db/access/vault.ts'
import { type Database, transaction, violatedConstraint } from '../../db/connection/database.ts'
import type { OperatorRole } from '../../domain/access/access.ts'
import { type AuditAction, auditChanges, type By, type Changes } from '../../domain/access/audit.ts'
import type { User, VaultGrant } from '../../domain/access/user.ts'
import { type Problem, RequestRefused } from '../../domain/errors.ts'
import type { Page } from '../../domain/page.ts'
import type { Deps } from '../deps.ts'
import type { Commit } from '../effect.ts'
import { hashPassword } from './password-hash.ts'

/** A user with a new one-time password. No later response contains it. */
export interface UserWithPassword extends User {
  readonly oneTimePassword: string
}

interface NewUser {
  readonly email: string
  readonly vaults: readonly VaultGrant[]
  readonly operatorRoles: readonly OperatorRole[]
}

type WithDb = Pick<Deps, 'db'>

const NEITHER: Problem = {
  code: 'required',
  field: 'operator_roles',
  message: 'The user has neither a vault nor an operator role. Send at least one.',
}

/** Creates a user. Throws `email_taken`, `required` without a vault or role, and `invalid` for unknown vaults. */
export async function createUser(
  { db }: WithDb,
  by: By,
  { email, vaults, operatorRoles }: NewUser,
  effect: Commit<UserWithPassword>,
  oneTimePassword: string,
): Promise<UserWithPassword> {
  if (vaults.length + operatorRoles.length === 0) throw new RequestRefused(NEITHER)
  await refuseUnknownVaults(db, vaults)
  const { id } = effect
  const user = { id, email, passwordHash: await hashPassword(oneTimePassword), vaults, operatorRoles }
  return effect.commit((outer) =>
    transaction(outer, async (tx) => {
      await insertUser(tx, user).catch((error: unknown) => {
        if (violatedConstraint(error) !== 'users_email_hash_unique') throw error
        throw new RequestRefused({ code: 'email_taken', field: 'email' })
      })
      const created = await getUser({ db: tx }, id)
      await recordUser(tx, by, 'user_created', id, auditChanges({}, rolesOf(created)))
      return { ...created, oneTimePassword }
    }),
  )
}

/** Replaces the given roles. Throws `not_found`, and `invalid` for unknown vaults. */
export async function changeUserRoles(
  { db }: WithDb,
  by: By,
  id: string,
  { vaults, operatorRoles }: { [K in 'vaults' | 'operatorRoles']?: NewUser[K] | undefined },
): Promise<User> {
  await getUser({ db }, id)
  await refuseUnknownVaults(db, vaults ?? [])
  return transaction(db, async (tx) => {
    await getUserForUpdate(tx, id)
    const before = await getUser({ db: tx }, id)
    if (!vaults && !operatorRoles) return before
    await changeRoles(tx, id, { vaults, operatorRoles })
    const after = await getUser({ db: tx }, id)
    await recordUser(tx, by, 'user_roles_changed', id, auditChanges(rolesOf(before), rolesOf(after)))
    return after
  })
}

/** Sets a one-time password. Throws `not_found`. */
export async function resetPassword(
  { db }: WithDb,
  by: By,
  id: string,
  effect: Commit<UserWithPassword>,
  oneTimePassword: string,
): Promise<UserWithPassword> {
  await getUser({ db }, id)
  const hash = await hashPassword(oneTimePassword)
  return effect.commit((outer) =>
    transaction(outer, async (tx) => {
      await replacePassword(tx, id, { hash, oneTime: true })
      await recordUser(tx, by, 'password_reset', id)
      return { ...(await getUser({ db: tx }, id)), oneTimePassword }
    }),
  )
}

/** Revokes all of a user's tokens. Throws `not_found`. */
export const revokeTokens = ({ db }: WithDb, by: By, id: string): Promise<User> =>
  changeUser(db, by, 'tokens_revoked', id, (tx) => revokeUserTokens(tx, id))

/** Makes and records a change that the action fully describes. Throws `not_found`. */
export async function changeUser(
  db: Database,
  by: By,
  action: AuditAction,
  id: string,
  change: (tx: Database) => Promise<void>,
): Promise<User> {
  await getUser({ db }, id)
  return transaction(db, async (tx) => {
    await change(tx)
    await recordUser(tx, by, action, id)
    return getUser({ db: tx }, id)
  })
}

export const recordUser = (
  tx: Database,
  by: By,
  action: AuditAction,
  subjectId: string,
  changes: Changes = {},
): Promise<void> => recordAudit(tx, by, { action, subject: 'user', subjectId, changes })

const rolesOf = ({ vaults, operatorRoles }: User) => ({
  vaults: vaults.map(({ id, roles }) => ({ id, roles })),
  operator_roles: operatorRoles,
})

export async function getUser({ db }: WithDb, id: string): Promise<User> {
  const user = await findUser(db, id)
  if (!user) throw new RequestRefused({ code: 'not_found' })
  return user
}

/** Lists users, oldest first. */
export const listUsers = ({ db }: WithDb, page: Page) => listAll(db, page)

async function refuseUnknownVaults(db: Database, grants: readonly VaultGrant[]): Promise<void> {
  const found = await Promise.all(grants.map(({ id }) => findVault(db, id)))
  const problems = found.flatMap((vault, n): Problem[] =>
    vault
      ? []
      : [
          {
            code: 'invalid',
            field: `vaults.${n}.id`,
            message: 'There is no vault with this ID. Send the ID of a vault.',
          },
        ],
  )
  if (problems.length > 0) throw new RequestRefused(...problems)
}
