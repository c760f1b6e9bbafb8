/**
 * Use cases for the OpenID provider's directory, which creates, changes and removes operators and groups (SCIM 2.0).
 */
import { v7 as newId } from 'uuid'
import { replaceMemberships } from '../../db/access/operator-group.ts'
import { deleteIdentities } from '../../db/access/operator-identity.ts'
import {
  addGroupMembers,
  deleteGroupMembers,
  deleteProvisionedGroup,
  deleteProvisionedOperator,
  findProvisionedGroups,
  findProvisionedOperators,
  type GroupFilter,
  getProvisionedGroupForUpdate,
  type OperatorFilter,
  type ProvisionedGroup,
  type ProvisionedOperator,
  type Slice,
  saveProvisionedGroup,
  saveProvisionedOperator,
} from '../../db/access/provisioning.ts'
import {
  changeEmail,
  changeRoles,
  findUserByEmail,
  getUserForUpdate,
  insertUser,
  removePassword,
  revokeUserTokens,
  setAccessEnd,
} from '../../db/access/user.ts'
import { removeOtp } from '../../db/access/user-otp.ts'
import { recordAudit } from '../../db/audit/audit.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { violatedConstraint } from '../../db/connection/failure.ts'
import { type AuditAction, auditChanges, type By, type Changes } from '../../domain/access/audit.ts'
import { RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { WithDb } from '../base/deps.ts'
import { recordUser } from './users.ts'

export type { GroupFilter, OperatorFilter, ProvisionedGroup, ProvisionedOperator, Slice }

/** The changes to an operator. An undefined value means no change. */
export interface OperatorChanges {
  readonly email?: string | undefined
  readonly externalId?: string | null | undefined
  readonly isActive?: boolean | undefined
}

const ONE: Slice = { offset: 0, limit: 1 }

export const listProvisionedOperators = ({ db }: WithDb, filter: OperatorFilter, slice: Slice) =>
  findProvisionedOperators(db, filter, slice)

/** Returns an operator. Throws `not_found` if the directory has no operator with this ID. */
export async function getProvisionedOperator({ db }: WithDb, id: string): Promise<ProvisionedOperator> {
  const { entries } = await findProvisionedOperators(db, { id }, ONE)
  return requireFound(entries[0])
}

/**
 * Creates an operator without a password, or restores one that the directory removed earlier. Throws `email_taken` if
 * the email belongs to another operator or to a user of vaults.
 */
export const createProvisionedOperator = (
  { db }: WithDb,
  by: By,
  { email, externalId = null, isActive = true }: OperatorChanges & { readonly email: string },
): Promise<ProvisionedOperator> =>
  refusingTakenEmail(() =>
    transaction(db, async (tx) => {
      const known = await findUserByEmail(tx, email)
      if (known) await getUserForUpdate(tx, known.id)
      // Reads the user under the lock, because another request may have restored the user in the meantime.
      const existing = known && (await findUserByEmail(tx, email))
      const id = existing?.id ?? newId()
      if (!existing) await insertUser(tx, { id, email, passwordHash: null, operatorGrants: [], vaults: [] })
      else {
        const roles = existing.vaults.length + existing.operatorGrants.length
        const isRemoved = existing.accessEndsAt !== null && roles === 0
        const { entries } = await findProvisionedOperators(tx, { id }, ONE)
        if (!isRemoved || entries.length > 0) throw new RequestRefused({ code: 'email_taken' })
        // Removes the credentials, because the email may now belong to another person.
        await deleteIdentities(tx, id)
        await removePassword(tx, id)
        await removeOtp(tx, id)
        await setAccessEnd(tx, id, null)
      }
      await saveProvisionedOperator(tx, id, externalId)
      await recordUser(tx, by, 'user_created', id, auditChanges({}, { method: 'scim' }))
      if (!isActive) await setActive(tx, by, id, false)
      return getProvisionedOperator({ db: tx }, id)
    }),
  )

/**
 * Changes an operator. The change takes effect at the operator's next request. Throws `not_found` and `email_taken`.
 */
export const changeProvisionedOperator = (
  { db }: WithDb,
  by: By,
  id: string,
  { email, externalId, isActive }: OperatorChanges,
): Promise<ProvisionedOperator> =>
  refusingTakenEmail(() =>
    transaction(db, async (tx) => {
      await getUserForUpdate(tx, id)
      const before = await getProvisionedOperator({ db: tx }, id)
      if (email !== undefined && email !== before.email) await changeEmail(tx, id, email)
      if (isActive !== undefined && isActive !== before.isActive) await setActive(tx, by, id, isActive)
      await saveProvisionedOperator(tx, id, externalId)
      const after = await getProvisionedOperator({ db: tx }, id)
      // Omits the values, which can be personal.
      const changes = auditChanges(identifiersOf(before), identifiersOf(after), ['email', 'externalId'])
      if (Object.keys(changes).length > 0) await recordUser(tx, by, 'user_changed', id, changes)
      return after
    }),
  )

const identifiersOf = ({ email, externalId }: ProvisionedOperator) => ({ email, externalId })

async function setActive(tx: Database, by: By, id: string, isActive: boolean): Promise<void> {
  await setAccessEnd(tx, id, isActive ? null : 0)
  await recordUser(tx, by, isActive ? 'user_reactivated' : 'user_deactivated', id)
}

/** Ends an operator's access, and removes all the operator's roles and groups. Throws `not_found`. */
export const removeProvisionedOperator = ({ db }: WithDb, by: By, id: string): Promise<void> =>
  transaction(db, async (tx) => {
    await getUserForUpdate(tx, id)
    await getProvisionedOperator({ db: tx }, id)
    await deleteProvisionedOperator(tx, id)
    await replaceMemberships(tx, id, [])
    await changeRoles(tx, id, { operatorGrants: [] })
    await setAccessEnd(tx, id, 0)
    await recordUser(tx, by, 'user_removed', id)
  })

export const listProvisionedGroups = ({ db }: WithDb, filter: GroupFilter, slice: Slice) =>
  findProvisionedGroups(db, filter, slice)

/** Returns a group. Throws `not_found` if there is no group with this ID. */
export async function getProvisionedGroup({ db }: WithDb, id: string): Promise<ProvisionedGroup> {
  const { entries } = await findProvisionedGroups(db, { id }, ONE)
  return requireFound(entries[0])
}

export interface NewGroup {
  readonly name: string
  readonly externalId: string | null
  readonly members: readonly string[]
}

/** Creates a group. Throws `invalid` if the name is taken or a member is unknown. */
export const createProvisionedGroup = ({ db }: WithDb, by: By, { members, ...group }: NewGroup) =>
  refusingTakenName(() =>
    transaction(db, async (tx) => {
      const created = { id: newId(), ...group, members: [] }
      await saveProvisionedGroup(tx, created)
      await recordGroup(tx, by, 'directory_group_created', created.id, auditChanges({}, describe(created)))
      await setMembers(tx, by, created, members)
      return getProvisionedGroup({ db: tx }, created.id)
    }),
  )

export interface GroupChanges {
  readonly name?: string | undefined
  readonly externalId?: string | null | undefined
  /** Returns the new members, given the current ones. */
  readonly members: (before: readonly string[]) => readonly string[]
}

/** Changes a group. Throws `not_found`, and `invalid` if the name is taken or a member is unknown. */
export const changeProvisionedGroup = (
  { db }: WithDb,
  by: By,
  id: string,
  { name, externalId, members }: GroupChanges,
): Promise<ProvisionedGroup> =>
  refusingTakenName(() =>
    transaction(db, async (tx) => {
      await getProvisionedGroupForUpdate(tx, id)
      const before = await getProvisionedGroup({ db: tx }, id)
      const next = members(before.members)
      const after = {
        id,
        name: name ?? before.name,
        externalId: externalId === undefined ? before.externalId : externalId,
      }
      const isRenamed = after.name !== before.name
      // Roles are assigned to the group's name, so renaming a group changes the roles of its members.
      if (isRenamed) await setMembers(tx, by, before, [])
      await saveProvisionedGroup(tx, after)
      const changes = auditChanges(describe(before), describe(after))
      if (Object.keys(changes).length > 0) await recordGroup(tx, by, 'directory_group_changed', id, changes)
      await setMembers(tx, by, { ...after, members: isRenamed ? [] : before.members }, next)
      return getProvisionedGroup({ db: tx }, id)
    }),
  )

/** Removes a group and its memberships. Throws `not_found`. */
export const removeProvisionedGroup = ({ db }: WithDb, by: By, id: string): Promise<void> =>
  transaction(db, async (tx) => {
    await getProvisionedGroupForUpdate(tx, id)
    await setMembers(tx, by, await getProvisionedGroup({ db: tx }, id), [])
    await deleteProvisionedGroup(tx, id)
    await recordGroup(tx, by, 'directory_group_removed', id, {})
  })

const describe = ({ name, externalId }: Pick<ProvisionedGroup, 'name' | 'externalId'>) => ({
  name,
  external_id: externalId,
})

const recordGroup = (tx: Database, by: By, action: AuditAction, subjectId: string, changes: Changes) =>
  recordAudit(tx, by, { action, subject: 'operator_group', subjectId, changes })

async function setMembers(
  tx: Database,
  by: By,
  { id, name, members: before }: Pick<ProvisionedGroup, 'id' | 'name' | 'members'>,
  next: readonly string[],
): Promise<void> {
  const [had, has] = [new Set(before), new Set(next)]
  // Sorts the members, so that requests lock them in the same order.
  const added = [...has].filter((each) => !had.has(each)).sort()
  const removed = before.filter((each) => !has.has(each))
  for (const each of added) await requireMember(tx, each)
  await addGroupMembers(tx, id, added)
  await deleteGroupMembers(tx, id, removed)
  for (const userId of added)
    await recordGroups(tx, by, userId, auditChanges({ groups: [] }, { groups: [name] }))
  for (const userId of removed)
    await recordGroups(tx, by, userId, auditChanges({ groups: [name] }, { groups: [] }))
}

async function requireMember(tx: Database, id: string): Promise<void> {
  // Locks the operator, because another request may remove the operator at the same time.
  await getUserForUpdate(tx, id)
  const { entries } = await findProvisionedOperators(tx, { id }, ONE)
  if (entries.length === 0) throw new RequestRefused({ code: 'invalid', field: 'members' })
}

async function recordGroups(tx: Database, by: By, userId: string, changes: Changes): Promise<void> {
  // Revokes the tokens and sessions, so that the new roles apply immediately.
  await revokeUserTokens(tx, userId)
  await recordUser(tx, by, 'user_groups_changed' satisfies AuditAction, userId, changes)
}

const refusing =
  (constraint: string, refused: () => RequestRefused) =>
  <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      throw violatedConstraint(error) === constraint ? refused() : error
    })

const refusingTakenEmail = refusing(
  'users_email_hash_unique',
  () => new RequestRefused({ code: 'email_taken', field: 'userName' }),
)
const refusingTakenName = refusing(
  'provisioned_groups_name_unique',
  () => new RequestRefused({ code: 'invalid', status: 409, field: 'displayName' }),
)
