/** Use cases for the groups of the OpenID provider: an administrator maps them to roles. */
import { recordAudit } from '../../db/access/audit.ts'
import {
  listGroupRoles,
  readGroupRolesForUpdate,
  replaceGroupRoles,
  revokeMemberTokens,
} from '../../db/access/operator-group.ts'
import { transaction } from '../../db/connection/database.ts'
import type { OperatorRole } from '../../domain/access/access.ts'
import { auditChanges, type By } from '../../domain/access/audit.ts'
import type { Deps } from '../deps.ts'

/** Returns the roles of each group, by name. */
export async function listGroups({ db }: Pick<Deps, 'db'>): Promise<ReadonlyMap<string, OperatorRole[]>> {
  const groups = new Map<string, OperatorRole[]>()
  for (const { name, role } of await listGroupRoles(db)) groups.set(name, [...(groups.get(name) ?? []), role])
  return groups
}

/** Replaces the roles of a group. Takes effect at the next request of each member. */
export const mapGroup = (
  { db }: Pick<Deps, 'db'>,
  by: By,
  name: string,
  roles: readonly OperatorRole[],
): Promise<void> =>
  transaction(db, async (tx) => {
    const before = await readGroupRolesForUpdate(tx, name)
    const changes = auditChanges({ roles: before }, { roles: [...roles].sort() })
    if (Object.keys(changes).length === 0) return
    await replaceGroupRoles(tx, name, roles)
    await revokeMemberTokens(tx, name)
    await recordAudit(tx, by, {
      action: 'group_mapped',
      subject: 'operator_group',
      subjectId: null,
      changes: { group: { to: name }, ...changes },
    })
  })
