/**
 * Queries for counters that all processes share. The queries use PostgreSQL's clock, because the clocks of processes
 * may differ.
 */
import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import { counters } from '../../../drizzle/schema.ts'
import { deleteOldest } from '../connection/batches.ts'
import type { Database } from '../connection/database.ts'

const { key, points, expiresAt } = counters
const NOW = sql`(extract(epoch FROM statement_timestamp()) * 1000)::bigint`
const after = (seconds: number): SQL<Date> => sql`${NOW} + ${seconds * 1000}::bigint`
const counts = (counted: string) => and(eq(key, counted), gt(expiresAt, NOW))
/**
 * Matches counters that have expired, and those that were set before the clock was set back. Allows ten seconds, because
 * a statement that waits for a lock can find a counter that a later statement has started.
 */
const isExpired = (seconds: number) => sql`${expiresAt} NOT BETWEEN ${NOW} + 1 AND ${after(seconds + 10)}`

interface Counted {
  readonly points: number
  /** The time until the counter returns to zero. */
  readonly resetMs: number
}

/**
 * Adds points in one statement, so that concurrent requests cannot exceed a limit. An expired counter restarts from
 * zero and lasts for `seconds`.
 */
export async function addPoints(
  db: Database,
  counted: string,
  more: number,
  seconds: number,
): Promise<Counted> {
  const [row] = await db.orm
    .insert(counters)
    .values({ key: counted, points: more, expiresAt: after(seconds) })
    .onConflictDoUpdate({
      target: key,
      set: {
        points: sql`CASE WHEN ${isExpired(seconds)} THEN excluded.points ELSE ${points} + excluded.points END`,
        expiresAt: sql`CASE WHEN ${isExpired(seconds)} THEN excluded.expires_at_ms ELSE ${expiresAt} END`,
      },
    })
    .returning({ points, resetMs: sql<number>`(${expiresAt} - ${NOW})::float8` })
  return row ?? { points: more, resetMs: seconds * 1000 }
}

export async function subtractPoints(db: Database, counted: string, fewer: number): Promise<void> {
  await db.orm
    .update(counters)
    .set({ points: sql`${points} - ${fewer}::int` })
    .where(counts(counted))
}

export async function setFlag(db: Database, noted: string, seconds: number): Promise<void> {
  const until = { points: 1, expiresAt: after(seconds) }
  await db.orm
    .insert(counters)
    .values({ key: noted, ...until })
    .onConflictDoUpdate({ target: key, set: until })
}

export async function isFlagSet(db: Database, noted: string): Promise<boolean> {
  const rows = await db.orm.select({ key }).from(counters).where(counts(noted))
  return rows.length > 0
}

/**
 * Removes a flag and returns true, or returns false if it was not set. Only one of several concurrent calls returns
 * true.
 */
export async function takeFlag(db: Database, noted: string): Promise<boolean> {
  const rows = await db.orm.delete(counters).where(counts(noted)).returning({ key })
  return rows.length > 0
}

export const deleteExpiredCounters = (db: Database): Promise<number> =>
  deleteOldest(db, expiresAt, sql`expires_at_ms < ${NOW}`)
