/** Queries for the operators and groups that the provider's directory manages. */
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import {
  provisionedGroupMembers,
  provisionedGroups,
  provisionedOperators,
  users,
} from '../../../drizzle/schema.ts'
import type { Listed } from '../../domain/base/page.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { isOperator } from './operator-grant.ts'
import { emailHash, hasAccess, unsealEmail } from './user.ts'

export interface ProvisionedOperator {
  readonly id: string
  readonly email: string
  readonly externalId: string | null
  readonly isActive: boolean
  readonly groups: readonly { readonly id: string; readonly name: string }[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface ProvisionedGroup {
  readonly id: string
  readonly name: string
  readonly externalId: string | null
  /** The user IDs of the members. */
  readonly members: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface Slice {
  readonly offset: number
  readonly limit: number
}

export interface OperatorFilter {
  readonly id?: string
  readonly email?: string
  readonly externalId?: string
}

/** Matches the operators that are visible to the directory. Temporary operators are not visible to it. */
const isVisible = sql`(${provisionedOperators.userId} IS NOT NULL
  OR (${users.accessEndsAt} IS NULL AND ${isOperator}))`

/** Returns a page of operators, oldest first, and their total number. */
export async function findProvisionedOperators(
  db: Database,
  { id, email, externalId }: OperatorFilter,
  { offset, limit }: Slice,
): Promise<Listed<ProvisionedOperator>> {
  const matching = and(
    isVisible,
    id === undefined ? undefined : eq(users.id, id),
    email === undefined ? undefined : eq(users.emailHash, emailHash(db, email)),
    externalId === undefined ? undefined : eq(provisionedOperators.externalId, externalId),
  )
  const ofProvisioned = eq(provisionedOperators.userId, users.id)
  const rows = await db.orm
    .select({
      id: users.id,
      email: users.email,
      externalId: provisionedOperators.externalId,
      isActive: sql<boolean>`${hasAccess}`,
      createdAt: users.createdAt,
      updatedAt: provisionedOperators.updatedAt,
    })
    .from(users)
    .leftJoin(provisionedOperators, ofProvisioned)
    .where(matching)
    .orderBy(asc(users.createdAt), asc(users.id))
    .limit(limit)
    .offset(offset)
  const [total] = await db.orm
    .select({ count: sql<number>`count(*)::int` })
    .from(users)
    .leftJoin(provisionedOperators, ofProvisioned)
    .where(matching)
  const groups = await db.orm
    .select({
      userId: provisionedGroupMembers.userId,
      id: provisionedGroups.id,
      name: provisionedGroups.name,
    })
    .from(provisionedGroupMembers)
    .innerJoin(provisionedGroups, eq(provisionedGroups.id, provisionedGroupMembers.groupId))
    .where(
      eqAny(
        provisionedGroupMembers.userId,
        rows.map((row) => row.id),
      ),
    )
    .orderBy(asc(provisionedGroups.name))
  const entries = rows.map((row) => ({
    ...row,
    email: unsealEmail(db, row),
    updatedAt: row.updatedAt ?? row.createdAt,
    groups: groups.filter(({ userId }) => userId === row.id).map(({ userId: _, ...group }) => group),
  }))
  return { entries, totalCount: total?.count ?? 0 }
}

/** Records that the directory manages the operator. Undefined values do not change. */
export async function saveProvisionedOperator(tx: Database, userId: string, externalId?: string | null) {
  const values = externalId === undefined ? {} : { externalId }
  await tx.orm
    .insert(provisionedOperators)
    .values({ userId, ...values })
    .onConflictDoUpdate({
      target: provisionedOperators.userId,
      set: { ...values, updatedAt: sql`clock_timestamp()` },
    })
}

/** Records that the directory no longer contains the operator, and removes the operator from the directory's groups. */
export async function deleteProvisionedOperator(tx: Database, userId: string): Promise<void> {
  await tx.orm.delete(provisionedGroupMembers).where(eq(provisionedGroupMembers.userId, userId))
  await tx.orm.delete(provisionedOperators).where(eq(provisionedOperators.userId, userId))
}

export interface GroupFilter {
  readonly id?: string
  readonly name?: string
  readonly externalId?: string
  readonly memberId?: string
}

/** Returns a page of groups, oldest first, and their total number. */
export async function findProvisionedGroups(
  db: Database,
  { id, name, externalId, memberId }: GroupFilter,
  { offset, limit }: Slice,
): Promise<Listed<ProvisionedGroup>> {
  const { groupId, userId } = provisionedGroupMembers
  const ofMember = (member: string): SQL =>
    inArray(
      provisionedGroups.id,
      db.orm.select({ id: groupId }).from(provisionedGroupMembers).where(eq(userId, member)),
    )
  const matching = and(
    id === undefined ? undefined : eq(provisionedGroups.id, id),
    name === undefined ? undefined : eq(provisionedGroups.name, name),
    externalId === undefined ? undefined : eq(provisionedGroups.externalId, externalId),
    memberId === undefined ? undefined : ofMember(memberId),
  )
  const rows = await db.orm
    .select()
    .from(provisionedGroups)
    .where(matching)
    .orderBy(asc(provisionedGroups.createdAt), asc(provisionedGroups.id))
    .limit(limit)
    .offset(offset)
  const members = await db.orm
    .select({ groupId, id: users.id })
    .from(provisionedGroupMembers)
    .innerJoin(users, eq(users.id, userId))
    .where(
      eqAny(
        groupId,
        rows.map((row) => row.id),
      ),
    )
    .orderBy(asc(users.createdAt), asc(users.id))
  const entries = rows.map((row) => ({
    ...row,
    members: members.filter((member) => member.groupId === row.id).map((member) => member.id),
  }))
  return { entries, totalCount: await db.orm.$count(provisionedGroups, matching) }
}

/** Saves a group. Throws a violation of `provisioned_groups_name_unique` if another group has the name. */
export async function saveProvisionedGroup(
  tx: Database,
  { id, name, externalId }: Pick<ProvisionedGroup, 'id' | 'name' | 'externalId'>,
): Promise<void> {
  await tx.orm
    .insert(provisionedGroups)
    .values({ id, name, externalId })
    .onConflictDoUpdate({
      target: provisionedGroups.id,
      set: { name, externalId, updatedAt: sql`clock_timestamp()` },
    })
}

/** Locks the group until the transaction ends. */
export async function getProvisionedGroupForUpdate(tx: Database, id: string): Promise<void> {
  await tx.orm
    .select({ id: provisionedGroups.id })
    .from(provisionedGroups)
    .where(eq(provisionedGroups.id, id))
    .for('update')
}

export async function addGroupMembers(tx: Database, groupId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await tx.orm.insert(provisionedGroupMembers).values(ids.map((userId) => ({ groupId, userId })))
}

export async function deleteGroupMembers(tx: Database, groupId: string, ids: readonly string[]) {
  await tx.orm
    .delete(provisionedGroupMembers)
    .where(and(eq(provisionedGroupMembers.groupId, groupId), eqAny(provisionedGroupMembers.userId, ids)))
}

export async function deleteProvisionedGroup(tx: Database, id: string): Promise<void> {
  await tx.orm.delete(provisionedGroups).where(eq(provisionedGroups.id, id))
}
