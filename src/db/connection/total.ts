/** How many rows a vault has of a table that rows never leave: what is old is counted once by each process. */
import { and, eq, getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { LRUCache } from 'lru-cache'
import { cacheStatement, type Database } from './database.ts'

const MAX_VAULTS = 10_000
/** No transaction takes so long: what is older than this was committed, or never will be. */
const SETTLED = sql`now() - interval '1 minute'`
/** So many new ones are counted each time before they are counted for good. */
const MAX_NEW = 1_000

/** How many there are before this moment, as PostgreSQL writes it. */
interface Known {
  readonly count: number
  readonly until: string
}

/** `where` says which rows of the table are meant; it never changes for a row. */
export function createTotal(
  table: PgTable & { readonly vaultId: AnyPgColumn; readonly createdAt: AnyPgColumn },
  where?: SQL,
): (db: Database, vaultId: string) => Promise<number> {
  const { vaultId: ofVault, createdAt } = table
  const countIn = cacheStatement((orm) => ({
    known: new LRUCache<string, Known>({ max: MAX_VAULTS }),
    newer: orm
      .select({
        newer: sql<number>`count(*)::int`,
        settled: sql<number>`(count(*) FILTER (WHERE ${createdAt} < ${SETTLED}))::int`,
        until: sql<string>`(${SETTLED})::text`,
      })
      .from(table as PgTable)
      .where(
        and(
          eq(ofVault, sql.placeholder('vaultId')),
          sql`${createdAt} >= ${sql.placeholder('until')}::timestamptz`,
          where,
        ),
      )
      .prepare(`count_${getTableName(table)}`),
  }))

  return async (db, vaultId) => {
    const { known, newer: count } = countIn(db)
    const before = known.get(vaultId) ?? { count: 0, until: '-infinity' }
    const [row] = await count.execute({ vaultId, until: before.until })
    if (!row) throw new Error(`${getTableName(table)} was not counted`)
    const { newer, settled, until } = row
    if (settled > MAX_NEW) known.set(vaultId, { count: before.count + settled, until })
    return before.count + newer
  }
}
