/** Whose an entity is that a request names by its id. */

import { vaultOf } from '../../db/cases/entity.ts'
import type { Database } from '../../db/connection/database.ts'
import type { ClientRole } from '../../domain/access/access.ts'
import type { Entity, EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { type Caller, vaultHolding } from '../access/caller.ts'

/** The entity in the vault among the client's that holds it. */
export async function ofClient<E extends Entity>(
  db: Database,
  caller: Caller,
  role: ClientRole,
  entity: E,
  id: string,
): Promise<EntityRef<E>> {
  return { entity, id, vaultId: await vaultHolding(caller, role, () => vaultOf(db, { entity, id })) }
}

/**
 * Operators belong to no vault: the entity says whose it is. The id may be as somebody wrote it. Throws RequestRefused
 * where there is none.
 */
export async function ofAnyVault<E extends Entity>(
  db: Database,
  entity: E,
  id: string,
): Promise<EntityRef<E>> {
  const vaultId = await vaultOf(db, { entity, id })
  if (!vaultId) throw new RequestRefused({ code: 'not_found' })
  return { entity, id: id.toLowerCase(), vaultId }
}
