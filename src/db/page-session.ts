/** Sessions of hosted pages: a browser's token, and the verifications that it may fill in. */
import { and, eq, gt, lt, sql } from 'drizzle-orm'
import { pageSessions } from '../../drizzle/schema.ts'
import type { Database } from './database.ts'

const tokenHash = (db: Database, token: string) => db.encryption.hash(token, 'page_session')
const inADay = sql`clock_timestamp() + interval '24 hours'`
const ofBrowser = (db: Database, token: string, identificationId: string) =>
  and(eq(pageSessions.tokenHash, tokenHash(db, token)), eq(pageSessions.identificationId, identificationId))

/** Opens the verification to the browser for a day, or for a day more. */
export async function openPageSession(db: Database, token: string, identificationId: string): Promise<void> {
  await db.orm
    .insert(pageSessions)
    .values({ tokenHash: tokenHash(db, token), identificationId, expiresAt: inADay })
    .onConflictDoUpdate({
      target: [pageSessions.tokenHash, pageSessions.identificationId],
      set: { expiresAt: inADay },
    })
}

/** Whether the browser may fill the verification in; whoever works on it longer than an hour gets a day again. */
export async function usePageSession(
  db: Database,
  token: string,
  identificationId: string,
): Promise<boolean> {
  const isOpen = and(
    ofBrowser(db, token, identificationId),
    gt(pageSessions.expiresAt, sql`clock_timestamp()`),
  )
  const [session] = await db.orm
    .select({ isOld: sql<boolean>`${pageSessions.expiresAt} < clock_timestamp() + interval '23 hours'` })
    .from(pageSessions)
    .where(isOpen)
  if (session?.isOld) await db.orm.update(pageSessions).set({ expiresAt: inADay }).where(isOpen)
  return session !== undefined
}

/** Every browser must open the link again. */
export async function closePageSessions(tx: Database, identificationId: string): Promise<void> {
  await tx.orm.delete(pageSessions).where(eq(pageSessions.identificationId, identificationId))
}

export async function deleteExpiredPageSessions(db: Database): Promise<number> {
  const { count } = await db.orm
    .delete(pageSessions)
    .where(lt(pageSessions.expiresAt, sql`clock_timestamp()`))
  return count
}
