/** Whose an entity is that a request names by its id. */
import type { Database } from '../db/database.ts'
import { vaultOfIdentification } from '../db/identification.ts'
import { vaultOfKybApplication } from '../db/kyb-application.ts'
import type { ClientRole } from '../domain/access.ts'
import type { Entity, EntityRef } from '../domain/entity.ts'
import { RequestRefused } from '../domain/errors.ts'
import { type Caller, vaultHolding } from './caller.ts'

const VAULT_OF: Record<Entity, (db: Database, id: string) => Promise<string | null>> = {
  kyb: vaultOfKybApplication,
  identification: vaultOfIdentification,
}

/** The entity in the vault among the client's that holds it. */
export async function ofClient<E extends Entity>(
  db: Database,
  caller: Caller,
  role: ClientRole,
  entity: E,
  id: string,
): Promise<EntityRef<E>> {
  return { entity, id, vaultId: await vaultHolding(caller, role, () => VAULT_OF[entity](db, id)) }
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
  const vaultId = await VAULT_OF[entity](db, id)
  if (!vaultId) throw new RequestRefused({ code: 'not_found' })
  return { entity, id: id.toLowerCase(), vaultId }
}
