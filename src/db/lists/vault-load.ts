/** Queries for the number of cases that await review in each vault. */
import { sql } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'
import { SCOPES } from './queue.ts'

interface ReviewTarget {
  readonly vaultId: string
  /** Cases that have waited since an earlier time are overdue. */
  readonly overdueBefore: Date
}

interface Load extends Record<string, unknown> {
  readonly waiting: number
  readonly overdue: number
}

/** Returns the number of waiting and of overdue cases by vault. Omits vaults in which no case awaits review. */
export async function countWaitingByVault(
  db: Database,
  targets: readonly ReviewTarget[],
): Promise<ReadonlyMap<string, Load>> {
  const ids = sql.param(targets.map(({ vaultId }) => vaultId))
  const moments = sql.param(targets.map(({ overdueBefore }) => overdueBefore.toISOString()))
  const rows = await db.orm.execute<{ vault_id: string } & Load>(sql`
    SELECT vault_id, count(*)::int AS waiting,
      count(*) FILTER (WHERE waiting_since < overdue_before)::int AS overdue
    FROM unnest(${ids}::uuid[], ${moments}::timestamptz[]) AS target (vault_id, overdue_before)
    JOIN (
      SELECT vault_id, waiting_since FROM kyb_applications
      WHERE waiting_on = 'operator' AND ${SCOPES.kyb.waiting} AND vault_id = ANY(${ids}::uuid[])
      UNION ALL
      SELECT vault_id, waiting_since FROM identifications
      WHERE waiting_on = 'operator' AND ${SCOPES.identification.waiting} AND vault_id = ANY(${ids}::uuid[])
    ) AS waiting USING (vault_id)
    GROUP BY vault_id`)
  return new Map(rows.map(({ vault_id, waiting, overdue }) => [vault_id, { waiting, overdue }]))
}
