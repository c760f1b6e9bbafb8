/** Users of vaults and operators, managed by operators who administer: for the API, and for the console. */
import type { z } from 'zod'
import { unixSeconds } from '../../contracts/common.ts'
import type { createUserBody, patchUserBody } from '../../contracts/user.ts'
import { recordAudit } from '../../db/access/audit.ts'
import {
  changeRoles,
  endTokens,
  findUser,
  getUserForUpdate,
  insertUser,
  replacePassword,
  type User,
  type VaultGrant,
} from '../../db/access/user.ts'
import { removeOtp } from '../../db/access/user-otp.ts'
import { findVault } from '../../db/access/vault.ts'
import { type Database, transaction, violatedConstraint } from '../../db/connection/database.ts'
import { type AuditAction, auditChanges, type By, type Changes } from '../../domain/access/audit.ts'
import { type Problem, RequestRefused } from '../../domain/errors.ts'
import { newPassword } from '../../storage/random.ts'
import type { Administering } from './administering.ts'
import { hashPassword } from './password-hash.ts'

export async function createUser(
  db: Database,
  { by, effect }: Administering,
  { email, vaults, operator_roles: operatorRoles }: z.output<typeof createUserBody>,
) {
  await refuseUnknownVaults(db, vaults)
  const { id } = effect
  const password = newPassword()
  const user = { id, email, passwordHash: await hashPassword(password), vaults, operatorRoles }
  return effect.commit((outer) =>
    transaction(outer, async (tx) => {
      await insertUser(tx, user).catch((error: unknown) => {
        if (violatedConstraint(error) !== 'users_email_hash_unique') throw error
        throw new RequestRefused({ code: 'email_taken', field: 'email' })
      })
      const created = await requireUser(tx, id)
      await recordUser(tx, by, 'user_created', id, auditChanges({}, rolesOf(created)))
      return { answer: { status: 201 as const, body: answerUser(created, password) } }
    }),
  )
}

export async function changeUserRoles(
  db: Database,
  by: By,
  id: string,
  { vaults, operator_roles: operatorRoles }: z.output<typeof patchUserBody>,
): Promise<User> {
  await requireUser(db, id)
  await refuseUnknownVaults(db, vaults ?? [])
  return transaction(db, async (tx) => {
    await getUserForUpdate(tx, id)
    const before = await requireUser(tx, id)
    if (!vaults && !operatorRoles) return before
    await changeRoles(tx, id, { vaults, operatorRoles })
    const after = await requireUser(tx, id)
    await recordUser(tx, by, 'user_roles_changed', id, auditChanges(rolesOf(before), rolesOf(after)))
    return after
  })
}

/** The only answer that shows the one-time password. */
export async function resetPassword(db: Database, { by, effect }: Administering, id: string) {
  await requireUser(db, id)
  const password = newPassword()
  const hash = await hashPassword(password)
  return effect.commit((outer) =>
    transaction(outer, async (tx) => {
      await replacePassword(tx, id, { hash, oneTime: true })
      await recordUser(tx, by, 'password_reset', id)
      return { answer: { body: answerUser(await requireUser(tx, id), password) } }
    }),
  )
}

export const revokeTokens = (db: Database, by: By, id: string): Promise<User> =>
  changing(db, by, 'tokens_revoked', id, (tx) => endTokens(tx, id))

export const removeCodes = (db: Database, by: By, id: string): Promise<User> =>
  changing(db, by, 'otp_removed', id, (tx) => removeOtp(tx, id))

/** What changes nothing but what its action says. */
export async function changing(
  db: Database,
  by: By,
  action: AuditAction,
  id: string,
  change: (tx: Database) => Promise<void>,
): Promise<User> {
  await requireUser(db, id)
  return transaction(db, async (tx) => {
    await change(tx)
    await recordUser(tx, by, action, id)
    return requireUser(tx, id)
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

export async function requireUser(db: Database, id: string): Promise<User> {
  const user = await findUser(db, id)
  if (!user) throw new RequestRefused({ code: 'not_found' })
  return user
}

/** A password is shown when it was made, and never again. */
export const answerUser = (user: User, oneTimePassword?: string) => ({
  data: { ...presentUser(user), ...(oneTimePassword && { one_time_password: oneTimePassword }) },
})

export const presentUser = (user: User) => ({
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
