/** Limits a query to the vaults that an operator may see. */
import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { VaultScope } from '../../domain/access/grant.ts'

/** Returns the condition. Compares a single vault with `=`, so that the index on the vault also sorts the rows. */
export function inScope(vaultId: AnyPgColumn | SQL, scope: VaultScope): SQL {
  if (scope === 'all') return sql`true`
  const [only] = scope
  return scope.length === 1 ? sql`${vaultId} = ${only}` : sql`${vaultId} = ANY(${sql.param(scope)}::uuid[])`
}
