/** Work on many rows, some at once: no statement takes long or keeps others waiting; the next pass comes soon. */
import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from './database.ts'

/** On a machine that is busy, a pass does less. */
const MAX_PASS_MS = 5_000
export const DELETED = { batchSize: 1_000, statements: 40 }

/** Repeats a statement while it finds as much as it may do at once; gives how much it did. */
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
 * Deletes rows of the column's table that are `old`, those with its lowest values first; locked ones stay. What is
 * old is a range of the column's index: so it may say `now()`, but not `clock_timestamp()`, which is no constant.
 */
export const deleteOldest = (db: Database, column: PgColumn, old: SQL): Promise<number> =>
  inBatches(DELETED, async (limit) => {
    const table = sql.identifier(getTableName(column.table))
    const { count } = await db.orm.execute(sql`
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${table} WHERE ${old} ORDER BY ${column} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`)
    return count
  })
