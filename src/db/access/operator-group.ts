/** Queries for the OpenID provider's groups, with their grants and members. */
import { and, asc, eq, inArray, notInArray, or, sql } from 'drizzle-orm'
import {
  operatorGroupMembers,
  operatorGroups,
  provisionedGroupMembers,
  provisionedGroups,
  users,
} from '../../../drizzle/schema.ts'
import { currentGrants, type Grant } from '../../domain/access/grant.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { nextTokenVersion } from './user.ts'

export interface OperatorGroup {
  readonly name: string
  readonly operatorGrants: readonly Grant[]
}

const COLUMNS = { role: operatorGroups.role, vaultId: operatorGroups.vaultId }

/** Lists the groups that grant a role, sorted by name. */
export async function listGroups(db: Database): Promise<OperatorGroup[]> {
  const { name } = operatorGroups
  const rows = await db.orm
    .select({ name, ...COLUMNS })
    .from(operatorGroups)
    .orderBy(asc(name))
  const groups = new Map<string, Grant[]>()
  for (const { name, ...grant } of rows) groups.set(name, [...(groups.get(name) ?? []), grant])
  return [...groups].map(([name, grants]) => ({ name, operatorGrants: currentGrants(grants) }))
}

/** Returns those of the names that belong to groups with a grant. */
export async function findMappedGroups(db: Database, names: readonly string[]): Promise<string[]> {
  const rows = await db.orm
    .select({ name: operatorGroups.name })
    .from(operatorGroups)
    .where(eqAny(operatorGroups.name, names))
    .groupBy(operatorGroups.name)
    .orderBy(asc(operatorGroups.name))
  return rows.map(({ name }) => name)
}

/** Replaces the grants of a group. Without grants, the group gives its members no access. */
export async function replaceGroupGrants(tx: Database, name: string, grants: readonly Grant[]) {
  await tx.orm.delete(operatorGroups).where(eq(operatorGroups.name, name))
  if (grants.length > 0)
    await tx.orm.insert(operatorGroups).values(grants.map((grant) => ({ name, ...grant })))
}

export const readGroupGrants = async (db: Database, name: string): Promise<Grant[]> =>
  currentGrants(await db.orm.select(COLUMNS).from(operatorGroups).where(eq(operatorGroups.name, name)))

/** Locks the grants of a group until the transaction ends. */
export async function lockGroup(tx: Database, name: string): Promise<void> {
  await tx.orm.execute(sql`SELECT pg_advisory_xact_lock(hashtext(${`operator_group:${name}`}))`)
}

/** Revokes the tokens and sessions of all members, so that the new grants apply immediately. */
export async function revokeMemberTokens(tx: Database, name: string): Promise<void> {
  const stated = tx.orm
    .select({ id: operatorGroupMembers.userId })
    .from(operatorGroupMembers)
    .where(eq(operatorGroupMembers.groupName, name))
  const provisioned = tx.orm
    .select({ id: provisionedGroupMembers.userId })
    .from(provisionedGroupMembers)
    .innerJoin(provisionedGroups, eq(provisionedGroups.id, provisionedGroupMembers.groupId))
    .where(eq(provisionedGroups.name, name))
  await tx.orm
    .update(users)
    .set({ tokenVersion: nextTokenVersion })
    .where(or(inArray(users.id, stated), inArray(users.id, provisioned)))
}

export async function readMemberships(db: Database, userId: string): Promise<string[]> {
  const rows = await db.orm
    .select({ name: operatorGroupMembers.groupName })
    .from(operatorGroupMembers)
    .where(eq(operatorGroupMembers.userId, userId))
    .orderBy(asc(operatorGroupMembers.groupName))
  return rows.map(({ name }) => name)
}

/** Replaces the groups that the provider states for an operator. */
export async function replaceMemberships(tx: Database, userId: string, names: readonly string[]) {
  await tx.orm
    .delete(operatorGroupMembers)
    .where(
      and(
        eq(operatorGroupMembers.userId, userId),
        names.length > 0 ? notInArray(operatorGroupMembers.groupName, [...names]) : undefined,
      ),
    )
  if (names.length > 0)
    await tx.orm
      .insert(operatorGroupMembers)
      .values(names.map((groupName) => ({ userId, groupName })))
      .onConflictDoNothing()
}
