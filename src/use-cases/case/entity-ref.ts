/** Finds the entity whose ID is in a request, and refuses texts about an erased one. */

import { getStateForUpdate } from '../../db/cases/identification.ts'
import { findIdentificationOfKyb } from '../../db/cases/kyb-application.ts'
import { findVaultId } from '../../db/commands/entity.ts'
import type { Database } from '../../db/connection/database.ts'
import { findHitTarget } from '../../db/screening/screening-hit.ts'
import type { ClientRole } from '../../domain/access/access.ts'
import { type Granted, hasPermission, type Permission } from '../../domain/access/grant.ts'
import { RequestRefused, requireFound } from '../../domain/base/errors.ts'
import { ENTITY_KINDS, type Entity, type EntityKey, type EntityRef } from '../../domain/entity/entity.ts'
import { type Caller, requirePermission, requireVaultHolding } from '../access/caller.ts'
import type { WithDb } from '../base/deps.ts'

/** Returns the entity in one of the client's vaults. Throws `insufficient_role` if the caller lacks the role there. */
export async function findTargetForClient<E extends Entity>(
  db: Database,
  caller: Caller,
  needed: ClientRole | readonly ClientRole[],
  entity: E,
  id: string,
): Promise<EntityRef<E>> {
  return {
    entity,
    id,
    vaultId: await requireVaultHolding(caller, needed, () => findVaultId(db, { entity, id })),
  }
}

/**
 * Returns the entity with an ID, which may be in upper case. Throws `not_found` if there is none or the operator cannot
 * see its vault, and `insufficient_role` without the permission.
 */
export async function findTarget<E extends Entity>(
  { db }: WithDb,
  operator: Granted,
  permission: Permission,
  entity: E,
  id: string,
): Promise<EntityRef<E>> {
  const vaultId = requireFound(await findVaultId(db, { entity, id }))
  requirePermission(operator, permission, vaultId)
  return { entity, id: id.toLowerCase(), vaultId }
}

/** Returns the entity of a screening hit that the operator may decide. Throws the errors of `findTarget`. */
export async function findTargetOfHit({ db }: WithDb, operator: Granted, id: string): Promise<EntityRef> {
  const target = requireFound(await findHitTarget(db, id))
  requirePermission(operator, 'decide', target.vaultId)
  return target
}

/**
 * Throws `identification_erased`, because a text that is added after the erasure would never be erased. Waits for an
 * erasure in progress.
 */
export async function refuseErased(tx: Database, { entity, id }: EntityKey): Promise<void> {
  const identificationId = entity === 'kyb' ? await findIdentificationOfKyb(tx, id) : id
  const { erasedAt } = await getStateForUpdate(tx, identificationId ?? '')
  if (erasedAt) throw new RequestRefused({ code: 'identification_erased' })
}

/**
 * Returns the application or identification with this ID, which may be in upper case, or null if there is none that the
 * operator can see.
 */
export async function findEntity({ db }: WithDb, operator: Granted, id: string): Promise<EntityRef | null> {
  for (const entity of ENTITY_KINDS) {
    const vaultId = await findVaultId(db, { entity, id })
    if (vaultId && hasPermission(operator, 'read_cases', vaultId))
      return { entity, id: id.toLowerCase(), vaultId }
  }
  return null
}
