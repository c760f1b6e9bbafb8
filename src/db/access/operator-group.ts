/** Queries for groups of the OpenID provider: the roles that they grant, and their members. */
import { and, asc, eq, inArray, notInArray, sql } from 'drizzle-orm'
import { operatorGroupMembers, operatorGroups, users } from '../../../drizzle/schema.ts'
import type { OperatorRole } from '../../domain/access/access.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'

export interface GroupRole {
  readonly name: string
  readonly role: OperatorRole
}

/** Lists the roles of all groups, by name. */
export const listGroupRoles = (db: Database): Promise<GroupRole[]> =>
  db.orm
    .select({ name: operatorGroups.name, role: operatorGroups.role })
    .from(operatorGroups)
    .orderBy(asc(operatorGroups.name), asc(operatorGroups.role))

/** Returns the groups that grant a role. */
export async function findMappedGroups(db: Database, names: readonly string[]): Promise<string[]> {
  const rows = await db.orm
    .select({ name: operatorGroups.name })
    .from(operatorGroups)
    .where(eqAny(operatorGroups.name, names))
    .groupBy(operatorGroups.name)
    .orderBy(asc(operatorGroups.name))
  return rows.map(({ name }) => name)
}

/** Replaces the roles of a group. Without roles, the group grants nothing. */
export async function replaceGroupRoles(
  tx: Database,
  name: string,
  roles: readonly OperatorRole[],
): Promise<void> {
  await tx.orm.delete(operatorGroups).where(eq(operatorGroups.name, name))
  if (roles.length > 0) await tx.orm.insert(operatorGroups).values(roles.map((role) => ({ name, role })))
}

/** Returns the roles of a group, locked against other changes until the transaction ends. */
export async function readGroupRolesForUpdate(tx: Database, name: string): Promise<OperatorRole[]> {
  await tx.orm.execute(sql`SELECT pg_advisory_xact_lock(hashtext(${`operator_group:${name}`}))`)
  const rows = await tx.orm
    .select({ role: operatorGroups.role })
    .from(operatorGroups)
    .where(eq(operatorGroups.name, name))
    .orderBy(asc(operatorGroups.role))
  return rows.map(({ role }) => role)
}

/** Revokes the tokens of all members, because tokens list the roles. */
export async function revokeMemberTokens(tx: Database, name: string): Promise<void> {
  const members = tx.orm
    .select({ id: operatorGroupMembers.userId })
    .from(operatorGroupMembers)
    .where(eq(operatorGroupMembers.groupName, name))
  await tx.orm
    .update(users)
    .set({ tokenVersion: sql`${users.tokenVersion} + 1` })
    .where(inArray(users.id, members))
}

export async function readMemberships(db: Database, userId: string): Promise<string[]> {
  const rows = await db.orm
    .select({ name: operatorGroupMembers.groupName })
    .from(operatorGroupMembers)
    .where(eq(operatorGroupMembers.userId, userId))
    .orderBy(asc(operatorGroupMembers.groupName))
  return rows.map(({ name }) => name)
}

/** Replaces the groups of an operator. */
export async function replaceMemberships(
  tx: Database,
  userId: string,
  names: readonly string[],
): Promise<void> {
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

/** The operator roles of a user: their own, and those of their groups. */
export const effectiveRoles = sql<string[]>`(${users.operatorRoles} || ARRAY(
  SELECT DISTINCT g.role FROM operator_group_members m JOIN operator_groups g ON g.name = m.group_name
    WHERE m.user_id = ${users.id} AND g.role <> ALL (${users.operatorRoles})))`
