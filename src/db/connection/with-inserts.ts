/** Combines inserts into one statement to save round trips. */
import { type SQLWrapper, sql } from 'drizzle-orm'
import type { Database } from './database.ts'

/** Combines inserts. PostgreSQL checks the foreign keys between their rows after all rows are inserted. */
export const withInserts = ({ orm }: Database, inserts: readonly SQLWrapper[]) =>
  orm.with(...inserts.map((insert, i) => orm.$with(`insert_${i}`, {}).as(insert.getSQL())))

export async function insertAll(tx: Database, inserts: readonly SQLWrapper[]): Promise<void> {
  await withInserts(tx, inserts).select({ done: sql`true` }).from(sql`(VALUES (true)) AS inserted`)
}
