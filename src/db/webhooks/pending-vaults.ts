/**
 * Queries for the vaults with pending webhook logs. Each vault requires one index lookup, regardless of its number of
 * logs.
 */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { NIL } from 'uuid'

interface Selection {
  /** The vault after which the selection starts, or SQL for it. */
  readonly after?: string | SQLWrapper | null
  /** SQL for an array of vaults. */
  readonly except?: SQLWrapper
  readonly atMost?: number
}

/**
 * Returns the expression `vaults (vault_id, nth)` for `WITH RECURSIVE`. It lists the vaults in the order of their IDs,
 * numbered from 1.
 */
export function selectPendingVaults({ after, except, atMost }: Selection = {}): SQL {
  const isAllowed = except ? sql`AND vault_id <> ALL(${except}::uuid[])` : sql``
  const nextVault = (from: SQL) => sql`
    SELECT vault_id FROM webhook_logs WHERE status = 'pending' AND vault_id > ${from} ${isAllowed}
    ORDER BY vault_id LIMIT 1`
  return sql`vaults (vault_id, nth) AS (
      (SELECT vault_id, 1 FROM (${nextVault(sql`${after ?? NIL}::uuid`)}) AS first)
      UNION ALL
      SELECT next.vault_id, nth + 1 FROM vaults CROSS JOIN LATERAL (${nextVault(sql`vaults.vault_id`)}) AS next
      ${atMost === undefined ? sql`` : sql`WHERE nth < ${atMost}`}
    )`
}
