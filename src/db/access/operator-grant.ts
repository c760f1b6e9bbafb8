/** Queries for the grants of operators. */
import { eq, type SQL, sql } from 'drizzle-orm'
import { operatorGrants, users } from '../../../drizzle/schema.ts'
import { currentGrants, type Grant, type StoredGrant } from '../../domain/access/grant.ts'
import type { Database } from '../connection/database.ts'

const OWN = sql`SELECT role, vault_id FROM operator_grants WHERE user_id = ${users.id}
  UNION ALL SELECT unnest(${users.operatorRoles}), NULL`

/** Earlier versions stored other names of roles. */
const listed = (rows: SQL): SQL<Grant[]> =>
  sql<Grant[]>`(SELECT coalesce(jsonb_agg(jsonb_build_object('role', role, 'vaultId', vault_id)), '[]')
    FROM (${rows}) AS granted)`.mapWith((grants: StoredGrant[]) => currentGrants(grants))

/** The grants of the user as a column. */
export const ownGrants = listed(OWN)

/** The grants of the user and of the user's groups as a column. */
export const effectiveGrants = listed(sql`${OWN} UNION ALL
  SELECT g.role, g.vault_id FROM operator_group_members m JOIN operator_groups g ON g.name = m.group_name
  WHERE m.user_id = ${users.id}`)

export async function replaceGrants(tx: Database, userId: string, grants: readonly Grant[]): Promise<void> {
  await tx.orm.update(users).set({ operatorRoles: [] }).where(eq(users.id, userId))
  await tx.orm.delete(operatorGrants).where(eq(operatorGrants.userId, userId))
  if (grants.length > 0)
    await tx.orm.insert(operatorGrants).values(grants.map((grant) => ({ userId, ...grant })))
}
