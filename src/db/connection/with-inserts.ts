/** Inserts that are written by one statement with another: one way there and back for all of them. */
import { type SQLWrapper, sql } from 'drizzle-orm'
import type { Database } from './database.ts'

/** What refers to a row of another one is checked once all of them are written. */
export const withInserts = ({ orm }: Database, inserts: readonly SQLWrapper[]) =>
  orm.with(...inserts.map((insert, i) => orm.$with(`insert_${i}`, {}).as(insert.getSQL())))

export async function insertAll(tx: Database, inserts: readonly SQLWrapper[]): Promise<void> {
  await withInserts(tx, inserts).select({ done: sql`true` }).from(sql`(VALUES (true)) AS inserted`)
}
