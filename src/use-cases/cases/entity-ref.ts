/** Finds the vault of an entity that a request names by its ID. */

import { findVaultId } from '../../db/cases/entity.ts'
import { findHitTarget } from '../../db/cases/screening.ts'
import type { Database } from '../../db/connection/database.ts'
import type { ClientRole } from '../../domain/access/access.ts'
import { type Granted, hasPermission, type Permission } from '../../domain/access/grant.ts'
import { ENTITY_KINDS, type Entity, type EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { type Caller, requirePermission, requireVaultHolding } from '../access/caller.ts'
import type { Deps } from '../deps.ts'

/** Returns the entity in the client's vault that contains it. Throws `insufficient_role`. */
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
 * Returns the entity that an operator names. The ID may be in upper case. Throws `not_found`, also in a vault that the
 * operator cannot see, and `insufficient_role`.
 */
export async function findTarget<E extends Entity>(
  { db }: Pick<Deps, 'db'>,
  operator: Granted,
  permission: Permission,
  entity: E,
  id: string,
): Promise<EntityRef<E>> {
  const vaultId = await findVaultId(db, { entity, id })
  if (!vaultId) throw new RequestRefused({ code: 'not_found' })
  requirePermission(operator, permission, vaultId)
  return { entity, id: id.toLowerCase(), vaultId }
}

/** Returns the entity of a screening hit that the operator can decide. Throws the errors of `findTarget`. */
export async function findTargetOfHit(
  { db }: Pick<Deps, 'db'>,
  operator: Granted,
  id: string,
): Promise<EntityRef> {
  const target = await findHitTarget(db, id)
  if (!target) throw new RequestRefused({ code: 'not_found' })
  requirePermission(operator, 'decide', target.vaultId)
  return target
}

/** Returns the application or identification with this ID, or null if the operator can see none. */
export async function findEntity(
  { db }: Pick<Deps, 'db'>,
  operator: Granted,
  id: string,
): Promise<EntityRef | null> {
  for (const entity of ENTITY_KINDS) {
    const vaultId = await findVaultId(db, { entity, id })
    if (vaultId && hasPermission(operator, 'read_cases', vaultId)) return { entity, id, vaultId }
  }
  return null
}
