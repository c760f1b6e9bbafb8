/** Queries for temporary links to a check's documents. Only the hashes of the links' tokens are stored. */
import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm'
import { checkLinks, verificationChecks } from '../../../drizzle/schema.ts'
import { deleteOldest } from '../connection/batches.ts'
import type { Database } from '../connection/database.ts'

/** Allows the provider to repeat a download that was interrupted. */
const MAX_OPENINGS = 3

const tokenHash = (db: Database, token: string) => db.encryption.hash(token, 'check_link')

/**
 * Creates a link to the file for one hour, and returns the link's token. Repeated calls return the same token, so that
 * a repeated request contains the same links.
 */
export async function createCheckLink(db: Database, checkId: string, fileId: string): Promise<string> {
  const token = db.encryption.hash(`${checkId}:${fileId}`, 'check_link_token').toString('base64url')
  const good = { openCount: 0, expiresAt: sql`clock_timestamp() + interval '1 hour'` }
  await db.orm
    .insert(checkLinks)
    .values({ tokenHash: tokenHash(db, token), checkId, fileId, ...good })
    .onConflictDoUpdate({ target: checkLinks.tokenHash, set: good })
  return token
}

/**
 * Counts an access through the link and returns the ID of the file. Returns null if the link has expired or was used
 * too often, or if the check has ended.
 */
export async function followCheckLink(db: Database, token: string): Promise<string | null> {
  const [link] = await db.orm
    .update(checkLinks)
    .set({ openCount: sql`${checkLinks.openCount} + 1` })
    .from(verificationChecks)
    .where(
      and(
        eq(checkLinks.tokenHash, tokenHash(db, token)),
        lt(checkLinks.openCount, MAX_OPENINGS),
        gt(checkLinks.expiresAt, sql`clock_timestamp()`),
        eq(verificationChecks.id, checkLinks.checkId),
        isNull(verificationChecks.settledAt),
      ),
    )
    .returning({ fileId: checkLinks.fileId })
  return link?.fileId ?? null
}

/** Reverses the count of an access that returned no file. */
export async function uncountCheckLinkOpening(db: Database, token: string): Promise<void> {
  await db.orm
    .update(checkLinks)
    .set({ openCount: sql`greatest(${checkLinks.openCount} - 1, 0)` })
    .where(eq(checkLinks.tokenHash, tokenHash(db, token)))
}

export const deleteExpiredCheckLinks = (db: Database): Promise<number> =>
  deleteOldest(db, checkLinks.expiresAt, sql`expires_at < now()`)
