/** Which types of resource an id names, as far as the caller may know it. */
import { findResourceTypes } from '../../db/cases/resource-type.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from './caller.ts'
import type { Audience } from './tokens.ts'

/** Clients learn only what is in their own vaults; operators see every vault. */
export const resourceTypesFor = (
  { db }: Pick<Deps, 'db'>,
  audience: Audience,
  { vaults }: Caller,
  id: string,
): Promise<readonly string[]> =>
  findResourceTypes(db, id, audience === 'client' ? vaults.map((vault) => vault.id) : null)
