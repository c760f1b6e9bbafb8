/**
 * Queries for sessions of hosted pages. A session links a browser's token to the verification that the applicant may
 * fill in.
 */

import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import { identifications, pageSessions, vaults } from '../../../drizzle/schema.ts'
import type { Vault } from '../../domain/access/vault.ts'
import { deleteOldest } from '../connection/batches.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { VAULT_COLUMNS } from './vault.ts'

/** Returns the hash that identifies a session in the database. */
export const pageSessionHash = (db: Database, token: string) => db.encryption.hash(token, 'page_session')

/** The maximum number of sessions per verification, which exceeds the number of browsers that an applicant uses. */
const MAX_SESSIONS = 20

/** Opens a session for 24 hours. Closes the oldest sessions beyond the maximum. */
export async function openPageSession(db: Database, token: string, identificationId: string): Promise<void> {
  await db.orm.insert(pageSessions).values({
    tokenHash: pageSessionHash(db, token),
    identificationId,
    expiresAt: sql`clock_timestamp() + interval '24 hours'`,
  })
  await db.orm.execute(sql`DELETE FROM ${pageSessions} WHERE ${pageSessions.tokenHash} IN (
    SELECT ${pageSessions.tokenHash} FROM ${pageSessions}
    WHERE ${pageSessions.identificationId} = ${identificationId}
    ORDER BY ${pageSessions.createdAt} DESC OFFSET ${MAX_SESSIONS})
    AND ${pageSessions.identificationId} = ${identificationId}`)
}

/** Returns the vault of the verification, or null if the session does not allow access to the verification. */
export async function findPageSession(
  db: Database,
  token: string,
  identificationId: string,
): Promise<Vault | null> {
  const [vault] = await db.orm
    .select(VAULT_COLUMNS)
    .from(pageSessions)
    .innerJoin(identifications, eq(identifications.id, pageSessions.identificationId))
    .innerJoin(vaults, eq(vaults.id, identifications.vaultId))
    .where(
      and(
        eq(pageSessions.tokenHash, pageSessionHash(db, token)),
        eq(pageSessions.identificationId, identificationId),
        gt(pageSessions.expiresAt, sql`clock_timestamp()`),
        isNull(identifications.erasedAt),
      ),
    )
  return vault ?? null
}

export interface OpenSession {
  readonly tokenHash: Buffer
  readonly vault: Vault
}

/** Returns the open sessions of a verification. */
export const findPageSessions = (db: Database, identificationId: string): Promise<OpenSession[]> =>
  db.orm
    .select({ tokenHash: pageSessions.tokenHash, vault: VAULT_COLUMNS })
    .from(pageSessions)
    .innerJoin(identifications, eq(identifications.id, pageSessions.identificationId))
    .innerJoin(vaults, eq(vaults.id, identifications.vaultId))
    .where(
      and(
        eq(pageSessions.identificationId, identificationId),
        gt(pageSessions.expiresAt, sql`clock_timestamp()`),
        isNull(identifications.erasedAt),
      ),
    )

/** Closes all sessions, so that every browser must open the link again. */
export async function closePageSessions(tx: Database, identificationIds: readonly string[]): Promise<void> {
  await tx.orm.delete(pageSessions).where(eqAny(pageSessions.identificationId, identificationIds))
}

export const deleteExpiredPageSessions = (db: Database): Promise<number> =>
  deleteOldest(db, pageSessions.expiresAt, sql`expires_at < now()`)
