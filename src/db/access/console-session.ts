/** Queries for console sessions, which link a browser's token to the operator who signed in. */
import { and, eq, gt, sql } from 'drizzle-orm'
import { consoleSessions, users } from '../../../drizzle/schema.ts'
import type { User } from '../../domain/access/user.ts'
import { deleteOldest } from '../connection/batches.ts'
import type { Database } from '../connection/database.ts'
import { openEmail } from './user.ts'

const tokenHash = (db: Database, token: string) => db.encryption.hash(token, 'console_session')

/** Opens a session for 10 hours, which covers a working day. */
export async function openConsoleSession(
  db: Database,
  token: string,
  { id, tokenVersion }: Pick<User, 'id' | 'tokenVersion'>,
): Promise<void> {
  await db.orm.insert(consoleSessions).values({
    tokenHash: tokenHash(db, token),
    userId: id,
    tokenVersion,
    expiresAt: sql`clock_timestamp() + interval '10 hours'`,
  })
}

/**
 * Returns the operator who is signed in, or null if the session is closed or expired, or the operator's tokens
 * were revoked.
 */
export async function findConsoleSession(
  db: Database,
  token: string,
): Promise<Pick<User, 'id' | 'email' | 'operatorRoles' | 'passwordExpiresAt' | 'tokenVersion'> | null> {
  const { id, email, operatorRoles, passwordExpiresAt, tokenVersion } = users
  const [row] = await db.orm
    .select({ id, email, operatorRoles, passwordExpiresAt, tokenVersion })
    .from(consoleSessions)
    .innerJoin(
      users,
      and(eq(users.id, consoleSessions.userId), eq(users.tokenVersion, consoleSessions.tokenVersion)),
    )
    .where(
      and(
        eq(consoleSessions.tokenHash, tokenHash(db, token)),
        gt(consoleSessions.expiresAt, sql`clock_timestamp()`),
      ),
    )
  return row ? { ...row, email: openEmail(db, row) } : null
}

export async function closeConsoleSession(db: Database, token: string): Promise<void> {
  await db.orm.delete(consoleSessions).where(eq(consoleSessions.tokenHash, tokenHash(db, token)))
}

export const deleteExpiredConsoleSessions = (db: Database): Promise<number> =>
  deleteOldest(db, consoleSessions.expiresAt, sql`expires_at < now()`)
