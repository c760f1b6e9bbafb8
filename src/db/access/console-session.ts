/** Queries for console sessions, which link a browser's token to the operator who signed in. */
import { and, eq, gt, isNotNull, sql } from 'drizzle-orm'
import { consoleSessions, users, vaults, vaultUsers } from '../../../drizzle/schema.ts'
import type { VaultAccess } from '../../domain/access/access.ts'
import type { User } from '../../domain/access/user.ts'
import { deleteOldest } from '../connection/batches.ts'
import type { Database } from '../connection/database.ts'
import { effectiveGrants } from './operator-grant.ts'
import { hasAccess, hasPassword, unsealEmail } from './user.ts'

const tokenHash = (db: Database, token: string) => db.encryption.hash(token, 'console_session')

/** The lifetime of a session that was opened with a password, which covers a working day. */
const PASSWORD_HOURS = 10

/** The provider's part of a session that single sign-on opens. */
export interface ProviderSession {
  /** The ID of the provider's session, or the operator's ID at the provider if there is none. */
  readonly id: string
  readonly hours: number
}

const providerHash = (db: Database, id: string) => db.encryption.hash(id, 'provider_session')

/** Opens a session. Without a `provider`, the session lasts for 10 hours. */
export async function startConsoleSession(
  db: Database,
  token: string,
  { id, tokenVersion }: Pick<User, 'id' | 'tokenVersion'>,
  provider: ProviderSession | null,
): Promise<void> {
  const seconds = Math.round((provider?.hours ?? PASSWORD_HOURS) * 3_600)
  await db.orm.insert(consoleSessions).values({
    tokenHash: tokenHash(db, token),
    userId: id,
    tokenVersion,
    providerSessionHash: provider && providerHash(db, provider.id),
    expiresAt: sql`clock_timestamp() + make_interval(secs => ${seconds}::int)`,
  })
}

const OWN_VAULTS = sql<VaultAccess[]>`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('id', ${vaults.id}, 'name', ${vaults.name}, 'roles', ${vaultUsers.roles})
    ORDER BY ${vaultUsers.createdAt}, ${vaults.id}), '[]')
  FROM ${vaultUsers} JOIN ${vaults} ON ${vaults.id} = ${vaultUsers.vaultId} WHERE ${vaultUsers.userId} = ${users.id})`

/**
 * Returns the signed-in user. Returns null if the session is closed or expired, the user's tokens were revoked, or the
 * user's access has ended.
 */
export async function findConsoleSession(db: Database, token: string) {
  const { id, email, passwordExpiresAt, tokenVersion, accessEndsAt } = users
  const [row] = await db.orm
    .select({
      id,
      email,
      effectiveGrants,
      passwordExpiresAt,
      tokenVersion,
      accessEndsAt,
      hasPassword,
      vaults: OWN_VAULTS,
      isSingleSignOn: sql<boolean>`${consoleSessions.providerSessionHash} IS NOT NULL`,
    })
    .from(consoleSessions)
    .innerJoin(
      users,
      and(eq(users.id, consoleSessions.userId), eq(users.tokenVersion, consoleSessions.tokenVersion)),
    )
    .where(
      and(
        eq(consoleSessions.tokenHash, tokenHash(db, token)),
        gt(consoleSessions.expiresAt, sql`clock_timestamp()`),
        hasAccess,
      ),
    )
  return row ? { ...row, email: unsealEmail(db, row) } : null
}

export async function closeConsoleSession(db: Database, token: string): Promise<void> {
  await db.orm.delete(consoleSessions).where(eq(consoleSessions.tokenHash, tokenHash(db, token)))
}

/** Closes the sessions that were opened from the provider's session, and returns their number. */
export async function closeProviderSessions(db: Database, id: string): Promise<number> {
  const { count } = await db.orm
    .delete(consoleSessions)
    .where(eq(consoleSessions.providerSessionHash, providerHash(db, id)))
  return count
}

/** Closes the sessions that single sign-on opened for the user, and returns their number. */
export async function closeSingleSignOnSessions(db: Database, userId: string): Promise<number> {
  const { count } = await db.orm
    .delete(consoleSessions)
    .where(and(eq(consoleSessions.userId, userId), isNotNull(consoleSessions.providerSessionHash)))
  return count
}

export const deleteExpiredConsoleSessions = (db: Database): Promise<number> =>
  deleteOldest(db, consoleSessions.expiresAt, sql`expires_at < now()`)
