/** Runs statements on many rows in batches, so that no statement is slow or holds its locks for long. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from './database.ts'

/** The time limit of a pass on a busy machine. The next pass handles the remaining rows. */
const MAX_PASS_MS = 5_000
export const DELETED = { batchSize: 1_000, statements: 40 }

/** Repeats a statement until it affects fewer rows than its limit. Returns the number of rows. */
export async function inBatches(
  { batchSize, statements }: { batchSize: number; statements: number },
  statement: (limit: number) => Promise<number>,
): Promise<number> {
  const end = performance.now() + MAX_PASS_MS
  let total = 0
  for (let i = 0; i < statements && performance.now() < end; i += 1) {
    const done = await statement(batchSize)
    total += done
    if (done < batchSize) break
  }
  return total
}

/**
 * Deletes rows that match `old`, starting with the lowest values of the column, and skips locked rows. `old` must be a
 * range of the column's index. It may use `now()` but not `clock_timestamp()`, which changes during a statement.
 */
export const deleteOldest = (db: Database, column: PgColumn, old: SQL): Promise<number> =>
  inBatches(DELETED, async (limit) => {
    const table = sql.identifier(getTableName(column.table))
    const { count } = await db.orm.execute(sql`
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${table} WHERE ${old} ORDER BY ${column} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`)
    return count
  })
