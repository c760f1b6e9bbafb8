/** Combines inserts into one statement to save round trips. */
import { type SQLWrapper, sql } from 'drizzle-orm'
import type { Database } from './database.ts'

/** PostgreSQL checks foreign keys between these rows after all of them are inserted. */
export const withInserts = ({ orm }: Database, inserts: readonly SQLWrapper[]) =>
  orm.with(...inserts.map((insert, i) => orm.$with(`insert_${i}`, {}).as(insert.getSQL())))

export async function insertAll(tx: Database, inserts: readonly SQLWrapper[]): Promise<void> {
  await withInserts(tx, inserts).select({ done: sql`true` }).from(sql`(VALUES (true)) AS inserted`)
}
