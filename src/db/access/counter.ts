/** Counters that all processes share, by the clock of the database: those of processes may be apart. */
import { and, eq, gt, type SQL, sql } from 'drizzle-orm'
import { rateLimits } from '../../../drizzle/schema.ts'
import { deleteOldest } from '../connection/batches.ts'
import type { Database } from '../connection/database.ts'

const { key, points, expire } = rateLimits
const NOW = sql`(extract(epoch FROM statement_timestamp()) * 1000)::bigint`
const after = (seconds: number): SQL<Date> => sql`${NOW} + ${seconds * 1000}::bigint`
const counts = (counted: string) => and(eq(key, counted), gt(expire, NOW))
const IS_OVER = sql`${expire} <= ${NOW}`

interface Counted {
  readonly points: number
  /** Until it counts from nothing again. */
  readonly resetMs: number
}

/** In one statement, so that two of them cannot outrun a limit. What is over begins anew, for so many seconds. */
export async function addPoints(
  db: Database,
  counted: string,
  more: number,
  seconds: number,
): Promise<Counted> {
  const [row] = await db.orm
    .insert(rateLimits)
    .values({ key: counted, points: more, expire: after(seconds) })
    .onConflictDoUpdate({
      target: key,
      set: {
        points: sql`CASE WHEN ${IS_OVER} THEN excluded.points ELSE ${points} + excluded.points END`,
        expire: sql`CASE WHEN ${IS_OVER} THEN excluded.expire ELSE ${expire} END`,
      },
    })
    .returning({ points, resetMs: sql<number>`(${expire} - ${NOW})::float8` })
  return row ?? { points: more, resetMs: seconds * 1000 }
}

export async function takePointsBack(db: Database, counted: string, fewer: number): Promise<void> {
  await db.orm
    .update(rateLimits)
    .set({ points: sql`${points} - ${fewer}::int` })
    .where(counts(counted))
}

/** Notes that something was so, for so many seconds from now. */
export async function keepNoted(db: Database, noted: string, seconds: number): Promise<void> {
  const until = { points: 1, expire: after(seconds) }
  await db.orm
    .insert(rateLimits)
    .values({ key: noted, ...until })
    .onConflictDoUpdate({ target: key, set: until })
}

export async function isNoted(db: Database, noted: string): Promise<boolean> {
  const rows = await db.orm.select({ key }).from(rateLimits).where(counts(noted))
  return rows.length > 0
}

export const deleteExpiredCounters = (db: Database): Promise<number> =>
  deleteOldest(db, expire, sql`expire < ${NOW}`)
