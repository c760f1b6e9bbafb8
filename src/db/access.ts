/** Vaults, users and API keys: who may do what where. */
import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { apiKeys, users, vaults, vaultUsers } from '../../drizzle/schema.ts'
import type { Database } from './database.ts'
import { sealedFor } from './sealed.ts'

export const CLIENT_ROLES = ['api_read', 'api_write'] as const
export type ClientRole = (typeof CLIENT_ROLES)[number]
export const OPERATOR_ROLES = ['operator_review', 'operator_admin'] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

export interface VaultAccess {
  readonly id: string
  readonly name: string
  readonly roles: readonly string[]
}

export interface User {
  readonly id: string
  readonly passwordHash: string
  readonly otpRequiredForLogin: boolean
  readonly operatorRoles: readonly string[]
  /** The first one is the user's default. */
  readonly vaults: readonly VaultAccess[]
}

const emailHash = (db: Database, email: string) => db.encryption.hash(email.toLowerCase(), 'user_email')
const keyHash = (db: Database, key: string) => db.encryption.hash(key, 'api_key')

/** The vault that a key opens; null for a key that is unknown or revoked. Notes when it was used. */
export async function findApiKey(
  db: Database,
  key: string,
): Promise<{ id: string; vault: VaultAccess } | null> {
  const [row] = await db.orm
    .select({
      id: apiKeys.id,
      roles: apiKeys.roles,
      vaultId: vaults.id,
      name: vaults.name,
      usedAt: apiKeys.lastUsedAt,
    })
    .from(apiKeys)
    .innerJoin(vaults, eq(vaults.id, apiKeys.vaultId))
    .where(and(eq(apiKeys.keyHash, keyHash(db, key)), isNull(apiKeys.revokedAt)))
  if (!row) return null
  const minuteAgo = Date.now() - 60_000
  if (!row.usedAt || row.usedAt.getTime() < minuteAgo) {
    await db.orm.update(apiKeys).set({ lastUsedAt: sql`clock_timestamp()` }).where(eq(apiKeys.id, row.id))
  }
  return { id: row.id, vault: { id: row.vaultId, name: row.name, roles: row.roles } }
}

export async function findUserByEmail(db: Database, email: string): Promise<User | null> {
  const [user] = await db.orm
    .select()
    .from(users)
    .where(eq(users.emailHash, emailHash(db, email)))
  if (!user) return null
  const access = await db.orm
    .select({ id: vaults.id, name: vaults.name, roles: vaultUsers.roles })
    .from(vaultUsers)
    .innerJoin(vaults, eq(vaults.id, vaultUsers.vaultId))
    .where(eq(vaultUsers.userId, user.id))
    .orderBy(asc(vaultUsers.createdAt), asc(vaults.id))
  return { ...user, vaults: access }
}

export async function isOtpRequired(db: Database, userId: string): Promise<boolean> {
  const [row] = await db.orm
    .select({ required: users.otpRequiredForLogin })
    .from(users)
    .where(eq(users.id, userId))
  return row?.required ?? false
}

/** Creates the vault, or changes what is given of one that exists. */
export async function saveVault(
  tx: Database,
  vault: { id: string; name: string; importEnabled?: boolean },
): Promise<void> {
  await tx.orm.insert(vaults).values(vault).onConflictDoUpdate({ target: vaults.id, set: vault })
}

/** Creates the user or replaces the password and roles of the one with this e-mail; gives the id. */
export async function saveUser(
  tx: Database,
  user: { id: string; email: string; passwordHash: string; operatorRoles: readonly OperatorRole[] },
): Promise<string> {
  const values = { passwordHash: user.passwordHash, operatorRoles: [...user.operatorRoles] }
  const [row] = await tx.orm
    .insert(users)
    .values({
      ...values,
      id: user.id,
      email: tx.encryption.seal(user.email, sealedFor('users.email', user.id)),
      emailHash: emailHash(tx, user.email),
    })
    .onConflictDoUpdate({ target: users.emailHash, set: values })
    .returning({ id: users.id })
  return row?.id ?? user.id
}

export async function grantVault(
  tx: Database,
  grant: { vaultId: string; userId: string; roles: readonly ClientRole[] },
): Promise<void> {
  const roles = [...grant.roles]
  await tx.orm
    .insert(vaultUsers)
    .values({ ...grant, roles })
    .onConflictDoUpdate({ target: [vaultUsers.userId, vaultUsers.vaultId], set: { roles } })
}

/** Stores the hash of a key; storing the same key again changes nothing. */
export async function insertApiKey(
  tx: Database,
  key: { id: string; vaultId: string; key: string; roles: readonly ClientRole[] },
): Promise<void> {
  await tx.orm
    .insert(apiKeys)
    .values({
      id: key.id,
      vaultId: key.vaultId,
      roles: [...key.roles],
      prefix: key.key.slice(0, 12),
      keyHash: keyHash(tx, key.key),
    })
    .onConflictDoNothing({ target: apiKeys.keyHash })
}
