/** Use cases for users of vaults and for operators, whom administrators create and change. */

import { deleteIdentities } from '../../db/access/operator-identity.ts'
import {
  changeRoles,
  countUsers as countAll,
  findUser,
  findUserByEmail,
  getUserForUpdate,
  insertUser,
  listUsers as listAll,
  readOperatorEmails,
  replacePassword,
  revokeUserTokens,
} from '../../db/access/user.ts'
import { removeOtp } from '../../db/access/user-otp.ts'
import { findVault } from '../../db/access/vault.ts'
import { recordAudit } from '../../db/audit/audit.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { violatedConstraint } from '../../db/connection/failure.ts'
import { type AuditAction, auditChanges, type By, type Changes } from '../../domain/access/audit.ts'
import { distinctGrants, type Grant, recordedGrant } from '../../domain/access/grant.ts'
import { findSamePeople } from '../../domain/access/same-person.ts'
import {
  canHaveRoles,
  type Roles,
  type User,
  type UserFilter,
  type VaultGrant,
} from '../../domain/access/user.ts'
import { type Problem, RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { Page } from '../../domain/base/page.ts'
import type { WithDb } from '../base/deps.ts'
import { type Commit, commitTogether } from '../base/effect.ts'
import { hashPassword } from '../credentials/password-hash.ts'

/** A user with a new one-time password. No later response contains it. */
export interface UserWithPassword extends User {
  readonly oneTimePassword: string
}

interface NewUser {
  readonly email: string
  readonly vaults: readonly VaultGrant[]
  readonly operatorGrants: readonly Grant[]
  /** The vault whose own administrator adds the user. */
  readonly memberOf?: string
}

const NEITHER: Problem = {
  code: 'required',
  field: 'operator_roles',
  message: 'The user has neither a vault nor an operator role. Send at least one.',
}

const MEMBER: Problem = {
  code: 'invalid',
  field: 'vaults',
  message:
    'A vault’s own administrator added this user, who can only have a seat in that vault. For other roles, create another user with the same email.',
}

/** Creates a user. Throws `email_taken`, `required` without a vault or role, and `invalid` for unknown vaults. */
export async function createUser(
  { db }: WithDb,
  by: By,
  { email, vaults, operatorGrants, memberOf }: NewUser,
  effect: Commit<UserWithPassword>,
  oneTimePassword: string,
): Promise<UserWithPassword> {
  if (vaults.length + operatorGrants.length === 0) throw new RequestRefused(NEITHER)
  await refuseUnknownVaults(db, vaults, operatorGrants)
  const { id } = effect
  const passwordHash = await hashPassword(oneTimePassword)
  const user = { id, email, passwordHash, vaults, operatorGrants, memberOf: memberOf ?? null }
  return commitTogether(effect, async (tx) => {
    const userId = (await restoreMember(tx, user)) ?? (await insertNew(tx, user))
    const created = await getUser({ db: tx }, userId)
    await recordUser(tx, by, 'user_created', userId, auditChanges({}, rolesOf(created)))
    return { ...created, oneTimePassword }
  })
}

type InsertedUser = Parameters<typeof insertUser>[1]

const insertNew = (tx: Database, user: InsertedUser): Promise<string> =>
  insertUser(tx, user).then(
    () => user.id,
    (error: unknown) => {
      if (violatedConstraint(error) !== 'users_email_hash_unique') throw error
      throw new RequestRefused({ code: 'email_taken', field: 'email' })
    },
  )

/**
 * Replaces the credentials and the seat of a removed member, because the email may now belong to another person. Returns
 * the ID, or null if the vault has not removed a member with this email.
 */
async function restoreMember(tx: Database, { email, memberOf, passwordHash, vaults }: InsertedUser) {
  const known = memberOf ? await findUserByEmail(tx, email, memberOf) : null
  if (!known || passwordHash === null) return null
  const { id } = known
  await getUserForUpdate(tx, id)
  if ((await getUser({ db: tx }, id)).vaults.length > 0) return null
  await deleteIdentities(tx, id)
  await removeOtp(tx, id)
  await replacePassword(tx, id, { hash: passwordHash, oneTime: true })
  await changeRoles(tx, id, { vaults })
  return id
}

/** The number of operators that are compared, which exceeds the operators of a large company. */
const MAX_COMPARED = 5_000

/** Returns the newest pairs of operators whose emails suggest one person, who could confirm the person's own decisions. */
export const listSamePeople = async ({ db }: WithDb) =>
  findSamePeople(await readOperatorEmails(db, MAX_COMPARED))

/** Replaces the user's vault roles, operator roles or both. Throws `not_found`, and `invalid` for unknown vaults. */
export async function changeUserRoles({ db }: WithDb, by: By, id: string, change: RoleChange): Promise<User> {
  await getUser({ db }, id)
  await refuseUnknownVaults(db, change.vaults ?? [], change.operatorGrants ?? [])
  return replaceRoles({ db }, by, id, () => change)
}

type RoleChange = { readonly [K in 'vaults' | 'operatorGrants']?: NewUser[K] | undefined }

/** Replaces the roles that `changed` returns, given the user with the current ones. Throws `not_found`. */
export const replaceRoles = ({ db }: WithDb, by: By, id: string, changed: (before: User) => RoleChange) =>
  transaction(db, async (tx) => {
    await getUserForUpdate(tx, id)
    const before = await getUser({ db: tx }, id)
    const { vaults, operatorGrants } = changed(before)
    const asked = { vaults: vaults ?? before.vaults, operatorGrants: operatorGrants ?? before.operatorGrants }
    if (!canHaveRoles(before, asked)) throw new RequestRefused(MEMBER)
    if (Object.keys(auditChanges(rolesOf(before), rolesOf(asked))).length === 0) return before
    await changeRoles(tx, id, { vaults, operatorGrants })
    const after = await getUser({ db: tx }, id)
    await recordUser(tx, by, 'user_roles_changed', id, auditChanges(rolesOf(before), rolesOf(after)))
    return after
  })

/** Replaces the password with a one-time password. Throws `not_found`. */
export async function resetPassword(
  { db }: WithDb,
  by: By,
  id: string,
  effect: Commit<UserWithPassword>,
  oneTimePassword: string,
): Promise<UserWithPassword> {
  await getUser({ db }, id)
  const hash = await hashPassword(oneTimePassword)
  return commitTogether(effect, async (tx) => {
    await replacePassword(tx, id, { hash, oneTime: true })
    await recordUser(tx, by, 'password_reset', id)
    return { ...(await getUser({ db: tx }, id)), oneTimePassword }
  })
}

/** Revokes all of a user's tokens. Throws `not_found`. */
export const revokeTokens = ({ db }: WithDb, by: By, id: string): Promise<User> =>
  changeUser(db, by, 'tokens_revoked', id, (tx) => revokeUserTokens(tx, id))

/** Makes a change whose audit entry needs no values. Throws `not_found`. */
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

/** Returns the roles in the format of the audit trail. */
export const rolesOf = ({ vaults, operatorGrants }: Roles) => ({
  vaults: vaults.map(({ id, roles }) => ({ id, roles: [...roles].sort() })),
  operator_grants: recordedGrants(operatorGrants),
})

/** Returns the grants in the format of the audit trail. */
export const recordedGrants = (grants: readonly Grant[]) => distinctGrants(grants).map(recordedGrant)

export async function getUser({ db }: WithDb, id: string): Promise<User> {
  return requireFound(await findUser(db, id))
}

/** Lists users, oldest first. */
export const listUsers = ({ db }: WithDb, page: Page, filter?: UserFilter) => listAll(db, page, filter)

export const countUsers = ({ db }: WithDb, filter: UserFilter): Promise<number> => countAll(db, filter)

/** Throws `invalid` for each vault that does not exist. */
export async function refuseUnknownVaults(
  db: Database,
  vaults: readonly VaultGrant[],
  operatorGrants: readonly Grant[],
): Promise<void> {
  const named = [
    ...vaults.map(({ id }, n) => ({ id, field: `vaults.${n}.id` })),
    ...operatorGrants.flatMap(({ vaultId: id }) => (id === null ? [] : [{ id, field: 'operator_grants' }])),
  ]
  const found = await Promise.all(named.map(({ id }) => findVault(db, id)))
  const message = 'There is no vault with this ID. Send the ID of a vault.'
  const problems = named.flatMap(({ field }, n): Problem[] =>
    found[n] ? [] : [{ code: 'invalid', field, message }],
  )
  if (problems.length > 0) throw new RequestRefused(...problems)
}
