/** Queries for the grants of operators. */
import { eq, type SQL, sql } from 'drizzle-orm'
import { operatorGrants, users } from '../../../drizzle/schema.ts'
import { currentGrants, type Grant, type StoredGrant } from '../../domain/access/grant.ts'
import type { Database } from '../connection/database.ts'

const OWN = sql`SELECT role, vault_id FROM operator_grants WHERE user_id = ${users.id}
  UNION ALL SELECT unnest(${users.operatorRoles}), NULL`

/** Returns the grants as one column. Converts role names that earlier versions stored. */
const listed = (rows: SQL): SQL<Grant[]> =>
  sql<Grant[]>`(SELECT coalesce(jsonb_agg(jsonb_build_object('role', role, 'vaultId', vault_id)), '[]')
    FROM (${rows}) AS granted)`.mapWith((grants: StoredGrant[]) => currentGrants(grants))

export const ownGrants = listed(OWN)

/** The groups of the user from the latest sign-in or from the directory. */
const GROUP_NAMES = sql`SELECT group_name FROM operator_group_members WHERE user_id = ${users.id}
  UNION ALL SELECT p.name FROM provisioned_group_members m JOIN provisioned_groups p ON p.id = m.group_id
  WHERE m.user_id = ${users.id}`

const EFFECTIVE = sql`${OWN} UNION SELECT role, vault_id FROM operator_groups WHERE name IN (${GROUP_NAMES})`

/** The grants of the user and of the user's groups, as a column. */
export const effectiveGrants = listed(EFFECTIVE)

export const isOperator = sql`EXISTS (${EFFECTIVE})`

export async function replaceGrants(tx: Database, userId: string, grants: readonly Grant[]): Promise<void> {
  await tx.orm.update(users).set({ operatorRoles: [] }).where(eq(users.id, userId))
  await tx.orm.delete(operatorGrants).where(eq(operatorGrants.userId, userId))
  if (grants.length > 0)
    await tx.orm.insert(operatorGrants).values(grants.map((grant) => ({ userId, ...grant })))
}
