/** Queries for the number of a vault's rows in tables without deletions. A process counts old rows only once. */
import { and, eq, getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { LRUCache } from 'lru-cache'
import { cacheStatement, createPerPool, type Database } from './database.ts'

const MAX_VAULTS = 10_000
/** No transaction lasts this long, so every older row is either committed or will never exist. */
const SETTLED = sql`now() - interval '1 minute'`
/**
 * The maximum number of settled rows that a process counts again with each query. If there are more, it caches their
 * count.
 */
const MAX_NEW = 1_000

/** The number of rows before `until`, a timestamp in PostgreSQL's format. */
interface Known {
  readonly count: number
  readonly until: string
}

/** Returns a counter of a vault's rows that match `where`, whose result must never change for a row. */
export function createTotal(
  table: PgTable & { readonly vaultId: AnyPgColumn; readonly createdAt: AnyPgColumn },
  where?: SQL,
): (db: Database, vaultId: string) => Promise<number> {
  const { vaultId: ofVault, createdAt } = table
  const knownIn = createPerPool(() => new LRUCache<string, Known>({ max: MAX_VAULTS }))
  const countIn = cacheStatement((orm) =>
    orm
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
  )

  return async (db, vaultId) => {
    const known = knownIn(db)
    const before = known.get(vaultId) ?? { count: 0, until: '-infinity' }
    const [row] = await countIn(db).execute({ vaultId, until: before.until })
    if (!row) throw new Error(`the rows of ${getTableName(table)} were not counted`)
    const { newer, settled, until } = row
    if (settled > MAX_NEW) known.set(vaultId, { count: before.count + settled, until })
    return before.count + newer
  }
}
