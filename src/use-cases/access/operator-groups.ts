/** Use cases for the groups of the OpenID provider, and the roles that administrators assign to them. */

import {
  listGroups as listAll,
  lockGroup,
  type OperatorGroup,
  readGroupGrants,
  replaceGroupGrants,
  revokeMemberTokens,
} from '../../db/access/operator-group.ts'
import { recordAudit } from '../../db/audit/audit.ts'
import { transaction } from '../../db/connection/database.ts'
import { auditChanges, type By } from '../../domain/access/audit.ts'
import { distinctGrants, type Grant } from '../../domain/access/grant.ts'
import type { WithDb } from '../base/deps.ts'
import { recordedGrants, refuseUnknownVaults } from './users.ts'

export type { OperatorGroup }

/** Lists the groups that grant a role, sorted by name. */
export const listGroups = ({ db }: WithDb): Promise<OperatorGroup[]> => listAll(db)

/** Returns a group. A group without a mapping has no grants. */
export const getGroup = async ({ db }: WithDb, name: string): Promise<OperatorGroup> => ({
  name,
  operatorGrants: await readGroupGrants(db, name),
})

/**
 * Replaces the grants of a group. The change takes effect at each member's next request. Throws `invalid` for unknown
 * vaults.
 */
export async function changeGroup(
  { db }: WithDb,
  by: By,
  name: string,
  grants: readonly Grant[],
): Promise<OperatorGroup> {
  await refuseUnknownVaults(db, [], grants)
  const operatorGrants = distinctGrants(grants)
  await transaction(db, async (tx) => {
    await lockGroup(tx, name)
    const before = await readGroupGrants(tx, name)
    const changes = auditChanges(
      { operator_grants: recordedGrants(before) },
      { operator_grants: recordedGrants(operatorGrants) },
    )
    if (Object.keys(changes).length === 0) return
    await replaceGroupGrants(tx, name, operatorGrants)
    await revokeMemberTokens(tx, name)
    await recordAudit(tx, by, {
      action: 'group_mapped',
      subject: 'operator_group',
      subjectId: null,
      changes: { group: { to: name }, ...changes },
    })
  })
  return { name, operatorGrants }
}
