/** Which vaults have webhook logs that are pending, by one look into the index for each, however many logs it has. */
import { type SQL, sql } from 'drizzle-orm'
import { NIL } from 'uuid'

interface Wanted {
  /** Those behind this vault; all, unless it is given. */
  readonly after?: string | null
  readonly except?: readonly string[]
  readonly atMost?: number
}

/** Stands behind `WITH RECURSIVE`; its `vaults` have a `vault_id` each, in their order, and the number `nth` in it. */
export function pendingVaults({ after, except, atMost }: Wanted = {}): SQL {
  const isAllowed = except ? sql`AND vault_id <> ALL(${sql.param(except)}::uuid[])` : sql``
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
