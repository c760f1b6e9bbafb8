/**
 * Queries for sessions of hosted pages. A session links a browser's token to the verification that the applicant may
 * fill in.
 */

import { and, eq, gt, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { identifications, pageSessions, timeline, vaults } from '../../../drizzle/schema.ts'
import type { Vault } from '../../domain/access/vault.ts'
import type { Language } from '../../domain/base/language.ts'
import type { SessionScope } from '../../domain/entity/session-scope.ts'
import { deleteOldest } from '../connection/batches.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { languageOfLink } from './link-language.ts'
import { VAULT_COLUMNS } from './vault.ts'

/** Returns the hash that identifies a session in the database. */
export const pageSessionHash = (db: Database, token: string) => db.encryption.hash(token, 'page_session')

/** The maximum number of sessions per verification, which exceeds the number of browsers that an applicant uses. */
const MAX_SESSIONS = 20

/** Opens a session for 24 hours. Closes the oldest sessions beyond the maximum. */
export const startPageSession = (db: Database, token: string, identificationId: string): Promise<void> =>
  insertSession(db, token, { identificationId, expiresAt: sql`clock_timestamp() + interval '24 hours'` })

/**
 * Opens a session for an hour that is limited to photos. Closes the earlier session to which `from` handed over. Returns
 * false if `from` has handed over since the link was issued. The lock of the row lets only one of several requests win.
 */
export async function startHandedOver(
  tx: Database,
  token: string,
  { id, from, issuedAt }: { readonly id: string; readonly from: Buffer; readonly issuedAt: number },
): Promise<boolean> {
  const issued = sql`to_timestamp(${issuedAt}::float8 / 1000)`
  const { handedOverAt } = pageSessions
  const used = await tx.orm
    .update(pageSessions)
    .set({ handedOverAt: sql`greatest(clock_timestamp(), ${issued} + interval '1 millisecond')` })
    .where(and(isSession(id, from), or(isNull(handedOverAt), lt(handedOverAt, issued))))
    .returning({ id: pageSessions.identificationId })
  if (used.length === 0) return false
  await closeHandedOver(tx, id, from)
  await insertSession(tx, token, {
    identificationId: id,
    scope: 'photos',
    openedFrom: from,
    expiresAt: sql`clock_timestamp() + interval '1 hour'`,
  })
  return true
}

const isSession = (identificationId: string, hash: Buffer) =>
  and(eq(pageSessions.identificationId, identificationId), eq(pageSessions.tokenHash, hash))

export async function closeHandedOver(db: Database, identificationId: string, from: Buffer): Promise<void> {
  await db.orm
    .delete(pageSessions)
    .where(and(eq(pageSessions.identificationId, identificationId), eq(pageSessions.openedFrom, from)))
}

/** Closes a session. Sessions to which it handed over end with it. */
export async function closePageSession(db: Database, identificationId: string, hash: Buffer): Promise<void> {
  await db.orm.delete(pageSessions).where(isSession(identificationId, hash))
}

type NewSession = Pick<typeof pageSessions.$inferInsert, 'identificationId' | 'scope' | 'openedFrom'>

async function insertSession(
  db: Database,
  token: string,
  { identificationId, ...session }: NewSession & { readonly expiresAt: SQL },
): Promise<void> {
  await db.orm
    .insert(pageSessions)
    .values({ tokenHash: pageSessionHash(db, token), identificationId, ...session })
  await db.orm.execute(sql`DELETE FROM ${pageSessions} WHERE ${pageSessions.tokenHash} IN (
    SELECT ${pageSessions.tokenHash} FROM ${pageSessions}
    WHERE ${pageSessions.identificationId} = ${identificationId}
    ORDER BY ${pageSessions.createdAt} DESC OFFSET ${MAX_SESSIONS})
    AND ${pageSessions.identificationId} = ${identificationId}`)
}

/** Matches open sessions. A session to which another one handed over is open only while the other one is. */
const IS_OPEN = and(
  gt(pageSessions.expiresAt, sql`clock_timestamp()`),
  isNull(identifications.erasedAt),
  sql`(opened_from_hash IS NULL OR EXISTS (SELECT FROM page_sessions other
    WHERE other.token_hash = page_sessions.opened_from_hash
      AND other.identification_id = page_sessions.identification_id AND other.expires_at > clock_timestamp()))`,
)

interface OpenSession {
  readonly tokenHash: Buffer
  readonly vault: Vault
  readonly scope: SessionScope
  readonly openedFrom: Buffer | null
  readonly handedOverAt: Date | null
  /** The language in which the applicant last read the pages, or null. */
  readonly language: Language | null
}

const readOpen = (db: Database) =>
  db.orm
    .select({
      tokenHash: pageSessions.tokenHash,
      vault: VAULT_COLUMNS,
      scope: pageSessions.scope,
      openedFrom: pageSessions.openedFrom,
      handedOverAt: pageSessions.handedOverAt,
      language: languageOfLink(identifications.id),
    })
    .from(pageSessions)
    .innerJoin(identifications, eq(identifications.id, pageSessions.identificationId))
    .innerJoin(vaults, eq(vaults.id, identifications.vaultId))

/** Returns the session, or null if it does not allow access to the verification. */
export async function findPageSession(
  db: Database,
  identificationId: string,
  hash: Buffer,
): Promise<OpenSession | null> {
  const [session] = await readOpen(db).where(and(isSession(identificationId, hash), IS_OPEN))
  return session ?? null
}

/** Returns whether the session began before the form was last submitted. */
export async function beganBeforeSubmission(
  db: Database,
  identificationId: string,
  hash: Buffer,
): Promise<boolean> {
  const rows = await db.orm
    .select({ id: timeline.id })
    .from(timeline)
    .innerJoin(
      pageSessions,
      and(isSession(identificationId, hash), lt(pageSessions.createdAt, timeline.createdAt)),
    )
    .where(and(eq(timeline.entityId, identificationId), eq(timeline.action, 'submit')))
    .limit(1)
  return rows.length > 0
}

export const findPageSessions = (db: Database, identificationId: string): Promise<OpenSession[]> =>
  readOpen(db).where(and(eq(pageSessions.identificationId, identificationId), IS_OPEN))

/** Closes all sessions, so that every browser must open the link again. */
export async function closePageSessions(tx: Database, identificationIds: readonly string[]): Promise<void> {
  await tx.orm.delete(pageSessions).where(eqAny(pageSessions.identificationId, identificationIds))
}

export const deleteExpiredPageSessions = (db: Database): Promise<number> =>
  deleteOldest(db, pageSessions.expiresAt, sql`expires_at < now()`)
