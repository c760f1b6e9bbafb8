/** Use cases for finding the resource types of an ID, as far as the caller may know them. */
import { findResourceTypes } from '../../db/cases/resource-type.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from './caller.ts'
import type { Audience } from './tokens.ts'

/** Returns the types of the resource. Clients see only those in their own vaults, operators those in all vaults. */
export const resourceTypesFor = (
  { db }: Pick<Deps, 'db'>,
  audience: Audience,
  { vaults }: Caller,
  id: string,
): Promise<readonly string[]> =>
  findResourceTypes(db, id, audience === 'client' ? vaults.map((vault) => vault.id) : null)
