/** Queries for users, who are client developers or operators. */
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { users, vaults, vaultUsers } from '../../../drizzle/schema.ts'
import {
  MAX_VAULTS,
  SEAT_ROLES,
  type SeatRole,
  type VaultAccess,
  type VaultRole,
} from '../../domain/access/access.ts'
import type { Grant } from '../../domain/access/grant.ts'
import type { User, UserFilter, UserKind, VaultGrant } from '../../domain/access/user.ts'
import type { Listed, Page } from '../../domain/base/page.ts'
import { type Database, transaction } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { orNull, sealedFor } from '../connection/sealed.ts'
import { effectiveGrants, isOperator, ownGrants, replaceGrants } from './operator-grant.ts'

interface UserWithHash extends User {
  /** The hash, or null for an operator who signs in only with single sign-on. */
  readonly passwordHash: string | null
}

/** An argon2id hash that no password matches, because it consists of zeros. */
const NO_PASSWORD = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`

/**
 * Returns the hash that finds a user by email, because the stored email is encrypted. The hash of a member contains the
 * vault, so that a member has the email of another user without a conflict.
 */
export const emailHash = (db: Database, email: string, memberOf: string | null = null): Buffer =>
  memberOf === null
    ? db.encryption.hash(email.toLowerCase(), 'user_email')
    : db.encryption.hash(`${memberOf} ${email.toLowerCase()}`, 'member_email')

const sealedEmail = (db: Database, id: string, email: string) =>
  db.encryption.seal(email, sealedFor('users.email', id))

/** Returns the email, or an empty text if it cannot be decrypted. */
export const unsealEmail = (db: Database, { id, email }: { id: string; email: Buffer }): string =>
  orNull(() => db.encryption.unseal(email, sealedFor('users.email', id)).toString()) ?? ''

/** Returns the user with this email, or the member of the vault, even if the user's access has ended. */
export async function findUserByEmail(db: Database, email: string, memberOf: string | null = null) {
  const [user] = await readUsers(db, eq(users.emailHash, emailHash(db, email, memberOf)))
  return user ?? null
}

/** Returns the user with this email. Prefers a member of the vault, and finds no members of other vaults. */
export async function findUserForSignIn(db: Database, email: string, vaultId: string | null) {
  const found = await readUsers(
    db,
    inArray(users.emailHash, [emailHash(db, email), emailHash(db, email, vaultId)]),
  )
  return found.find(({ memberOf }) => memberOf !== null) ?? found[0] ?? null
}

export async function findUserWithPassword(db: Database, id: string): Promise<UserWithHash | null> {
  const [user] = await readUsers(db, eq(users.id, id))
  return user ?? null
}

export async function findUser(db: Database, id: string): Promise<User | null> {
  const user = await findUserWithPassword(db, id)
  return user && withoutHash(user)
}

const withoutHash = ({ passwordHash: _, ...user }: UserWithHash): User => user

/** Returns the emails of users by ID. Omits unknown users and emails that cannot be decrypted. */
export async function readEmails(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const { id, email } = users
  const rows = await db.orm.select({ id, email }).from(users).where(eqAny(id, ids))
  return new Map(
    rows.flatMap((row): [string, string][] => {
      const opened = unsealEmail(db, row)
      return opened ? [[row.id, opened]] : []
    }),
  )
}

/** Locks the user until the transaction ends. */
export async function getUserForUpdate(tx: Database, id: string): Promise<void> {
  await tx.orm.select({ id: users.id }).from(users).where(eq(users.id, id)).for('update')
}

const KINDS: Readonly<Record<UserKind, SQL>> = {
  operator: isOperator,
  client: sql`EXISTS (SELECT FROM vault_users WHERE user_id = ${users.id})`,
}

const isIn = (vaultId: string): SQL => sql`${users.id} IN (
  SELECT user_id FROM vault_users WHERE vault_id = ${vaultId}
  UNION ALL SELECT user_id FROM operator_grants WHERE vault_id = ${vaultId})`

const matching = ({ kind, vaultId }: UserFilter): SQL | undefined =>
  and(kind && KINDS[kind], vaultId === undefined ? undefined : isIn(vaultId))

export const countUsers = (db: Database, filter: UserFilter): Promise<number> =>
  db.orm.$count(users, matching(filter))

/** Returns a page of users, oldest first. */
export async function listUsers(
  db: Database,
  { page, per_page }: Page,
  filter: UserFilter = {},
): Promise<Listed<User>> {
  const ids = db.orm
    .select({ id: users.id })
    .from(users)
    .where(matching(filter))
    .orderBy(asc(users.createdAt), asc(users.id))
    .limit(per_page)
    .offset((page - 1) * per_page)
  const found = await readUsers(db, inArray(users.id, ids))
  return { entries: found.map(withoutHash), totalCount: await countUsers(db, filter) }
}

/** Returns the users who have one of the roles in the vault, oldest first. */
export async function listSeatUsers(
  db: Database,
  vaultId: string,
  roles: readonly SeatRole[] = SEAT_ROLES,
  isIncluded: SQL = sql`true`,
): Promise<{ id: string; email: string; roles: readonly string[] }[]> {
  const { id, email, createdAt } = users
  const hasSeat = sql`${vaultUsers.roles} && ${sql.param([...roles])}::text[]`
  const rows = await db.orm
    .select({ id, email, roles: vaultUsers.roles })
    .from(vaultUsers)
    .innerJoin(users, eq(users.id, vaultUsers.userId))
    .where(and(eq(vaultUsers.vaultId, vaultId), hasSeat, isIncluded))
    .orderBy(asc(createdAt), asc(id))
  return rows.map((row) => ({ ...row, email: unsealEmail(db, row) }))
}

/** Returns the administrators of a vault among its own users, if they have access. */
export const listSeatAdministrators = (db: Database, vaultId: string) =>
  listSeatUsers(db, vaultId, ['client_admin'], hasAccess)

/** Returns the emails of up to `limit` operators with access, oldest first. */
export async function readOperatorEmails(db: Database, limit: number) {
  const rows = await db.orm
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(and(isOperator, hasAccess))
    .orderBy(asc(users.createdAt), asc(users.id))
    .limit(limit)
  return rows.map((row) => ({ id: row.id, email: unsealEmail(db, row) }))
}

/** Reads users in one query, so that the duration does not reveal whether a user exists or has vaults. */
async function readUsers(db: Database, which: SQL): Promise<UserWithHash[]> {
  const rows = await db.orm
    .select({
      user: users,
      operatorGrants: ownGrants,
      effectiveGrants,
      vaultId: vaults.id,
      vaultName: vaults.name,
      roles: vaultUsers.roles,
    })
    .from(users)
    .leftJoin(vaultUsers, eq(vaultUsers.userId, users.id))
    .leftJoin(vaults, eq(vaults.id, vaultUsers.vaultId))
    .where(which)
    .orderBy(asc(users.createdAt), asc(users.id), asc(vaultUsers.createdAt), asc(vaults.id))
  const found = new Map(rows.map((row) => [row.user.id, { ...row, vaults: [] as VaultAccess[] }]))
  for (const { user, vaultId, vaultName, roles } of rows) {
    if (vaultId === null || vaultName === null || roles === null) continue
    found.get(user.id)?.vaults.push({ id: vaultId, name: vaultName, roles })
  }
  return [...found.values()].map(({ user, operatorGrants, effectiveGrants, vaults }) => ({
    id: user.id,
    // Allows a damaged email, because a sign-in uses only its hash.
    email: unsealEmail(db, user),
    passwordHash: user.passwordHash === NO_PASSWORD ? null : user.passwordHash,
    passwordExpiresAt: user.passwordExpiresAt,
    tokenVersion: user.tokenVersion,
    otpRequiredForLogin: user.otpRequiredForLogin,
    operatorGrants,
    effectiveGrants,
    accessEndsAt: user.accessEndsAt,
    memberOf: user.memberOf,
    vaults,
    createdAt: user.createdAt,
  }))
}

/** Inserts a user. Throws a violation of `users_email_hash_unique` if the email belongs to another user. */
export async function insertUser(
  db: Database,
  user: {
    id: string
    email: string
    /** The hash, or null for an operator who signs in only with single sign-on. */
    passwordHash: string | null
    memberOf?: string | null
    operatorGrants: readonly Grant[]
    vaults: readonly VaultGrant[]
  },
): Promise<void> {
  const { id, email, passwordHash, memberOf = null } = user
  await transaction(db, async (tx) => {
    await tx.orm.insert(users).values({
      id,
      email: sealedEmail(tx, id, email),
      emailHash: emailHash(tx, email, memberOf),
      memberOf,
      passwordHash: passwordHash ?? NO_PASSWORD,
      passwordExpiresAt: passwordHash === null ? null : inThreeDays,
    })
    await replaceGrants(tx, id, user.operatorGrants)
    await grantAll(tx, id, user.vaults)
  })
}

/** Replaces the grants in each list that is given, and revokes the user's tokens. */
export async function changeRoles(
  db: Database,
  id: string,
  {
    vaults: grants,
    operatorGrants,
  }: { vaults?: readonly VaultGrant[] | undefined; operatorGrants?: readonly Grant[] | undefined },
): Promise<void> {
  if (!grants && !operatorGrants) return
  await transaction(db, async (tx) => {
    await revokeUserTokens(tx, id)
    if (operatorGrants) await replaceGrants(tx, id, operatorGrants)
    if (!grants) return
    await tx.orm.delete(vaultUsers).where(eq(vaultUsers.userId, id))
    await grantAll(tx, id, grants)
  })
}

/** Inserts one row at a time, because the times of the inserts determine the order of the vaults. */
async function grantAll(tx: Database, userId: string, grants: readonly VaultGrant[]): Promise<void> {
  for (const { id: vaultId, roles } of grants) await grantVault(tx, { vaultId, userId, roles })
}

/** Grants the user roles in a vault. Throws if the user would have more than `MAX_VAULTS` vaults. */
export async function grantVault(
  tx: Database,
  grant: { vaultId: string; userId: string; roles: readonly VaultRole[] },
): Promise<void> {
  const roles = [...grant.roles]
  const [row] = await tx.orm
    .insert(vaultUsers)
    .values({ ...grant, roles })
    .onConflictDoUpdate({ target: [vaultUsers.userId, vaultUsers.vaultId], set: { roles } })
    .returning({ isNew: sql<boolean>`xmax = 0` })
  if (row?.isNew && (await tx.orm.$count(vaultUsers, eq(vaultUsers.userId, grant.userId))) > MAX_VAULTS)
    throw new Error(`A user can access at most ${MAX_VAULTS} vaults. Create another user for this vault.`)
}

/**
 * Creates the user, or replaces the password and the given grants of the user with this email. Returns the user's ID.
 */
export async function saveUser(
  tx: Database,
  user: { id: string; email: string; passwordHash: string; operatorGrants?: readonly Grant[] },
): Promise<string> {
  const { id, email, passwordHash, operatorGrants } = user
  const values = { passwordHash, passwordExpiresAt: null }
  const [row] = await tx.orm
    .insert(users)
    .values({ ...values, id, email: sealedEmail(tx, id, email), emailHash: emailHash(tx, email) })
    .onConflictDoUpdate({ target: users.emailHash, set: values })
    .returning({ id: users.id })
  const userId = row?.id ?? id
  if (operatorGrants) await replaceGrants(tx, userId, operatorGrants)
  return userId
}

/** Changes the email. Throws a violation of `users_email_hash_unique` if it belongs to another user. */
export async function changeEmail(tx: Database, id: string, email: string): Promise<void> {
  const changed = { email: sealedEmail(tx, id, email), emailHash: emailHash(tx, email) }
  await tx.orm.update(users).set(changed).where(eq(users.id, id))
}

export async function removePassword(tx: Database, id: string): Promise<void> {
  await tx.orm
    .update(users)
    .set({ passwordHash: NO_PASSWORD, passwordExpiresAt: null })
    .where(eq(users.id, id))
}

/**
 * Ends the user's access after this number of seconds by PostgreSQL's clock, or never. Revokes all the user's tokens.
 */
export async function setAccessEnd(tx: Database, id: string, seconds: number | null): Promise<void> {
  const accessEndsAt =
    seconds === null ? null : sql`clock_timestamp() + make_interval(secs => ${seconds}::int)`
  await tx.orm.update(users).set({ accessEndsAt, tokenVersion: nextTokenVersion }).where(eq(users.id, id))
}

/** Replaces the password and revokes all tokens. Returns false if the stored password hash is not `replaces`. */
export async function replacePassword(
  db: Database,
  id: string,
  password: { hash: string; oneTime: boolean },
  replaces?: string,
): Promise<boolean> {
  const { count } = await db.orm
    .update(users)
    .set({
      passwordHash: password.hash,
      passwordExpiresAt: password.oneTime ? inThreeDays : null,
      tokenVersion: nextTokenVersion,
    })
    .where(and(eq(users.id, id), replaces === undefined ? undefined : eq(users.passwordHash, replaces)))
  return count === 1
}

/** The lifetime of a one-time password, which gives a new colleague time to set a password. */
const inThreeDays = sql`clock_timestamp() + interval '3 days'`

/** The next version. Setting it revokes the user's tokens and sessions. */
export const nextTokenVersion = sql`${users.tokenVersion} + 1`

export async function revokeUserTokens(db: Database, id: string): Promise<void> {
  await db.orm.update(users).set({ tokenVersion: nextTokenVersion }).where(eq(users.id, id))
}

export const hasPassword = sql<boolean>`${users.passwordHash} <> ${NO_PASSWORD}`

/** A condition that matches users whose access has not ended by PostgreSQL's clock. */
export const hasAccess = sql`(${users.accessEndsAt} IS NULL OR ${users.accessEndsAt} > clock_timestamp())`

/**
 * Returns the version that a token must contain, whether the password is a one-time password, and the grants. Returns
 * null if there is no such user or the user's access has ended.
 */
export async function findStanding(db: Database, id: string) {
  const { tokenVersion: version, passwordExpiresAt, accessEndsAt } = users
  const [row] = await db.orm
    .select({ version, passwordExpiresAt, accessEndsAt, grants: effectiveGrants })
    .from(users)
    .where(and(eq(users.id, id), hasAccess))
  if (!row) return null
  const { passwordExpiresAt: oneTimeUntil, ...standing } = row
  return { ...standing, mustChangePassword: oneTimeUntil !== null }
}
