/** Queries for the number of webhook deliveries by vault. */
import { sql } from 'drizzle-orm'
import type { Database } from '../connection/database.ts'

interface Deliveries extends Record<string, unknown> {
  readonly finished: number
  readonly delivered: number
}

/**
 * Counts the deliveries of today and yesterday in UTC. Omits vaults without deliveries, and vaults without a URL, whose
 * events count as failed.
 */
export async function countRecentDeliveries(
  db: Database,
  vaultIds: readonly string[],
): Promise<ReadonlyMap<string, Deliveries>> {
  const rows = await db.orm.execute<{ vault_id: string } & Deliveries>(sql`
    SELECT vault_id,
      coalesce(sum(delta) FILTER (WHERE status IN ('completed', 'partial', 'failed')), 0)::float8 AS finished,
      coalesce(sum(delta) FILTER (WHERE status = 'completed'), 0)::float8 AS delivered
    FROM webhook_log_counts JOIN webhook_settings USING (vault_id)
    WHERE jsonb_path_exists(url_list, '$.*[*]') AND vault_id = ANY(${sql.param(vaultIds)}::uuid[]) AND day >= (now() AT TIME ZONE 'UTC')::date - 1
    GROUP BY 1`)
  return new Map(rows.map(({ vault_id, finished, delivered }) => [vault_id, { finished, delivered }]))
}
