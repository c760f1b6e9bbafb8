/**
 * Use cases for finding out which types of resource have a given ID. Considers only resources that the caller can see.
 */
import { findResourceTypes } from '../../db/commands/resource-type.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import type { WithDb } from '../base/deps.ts'
import type { Audience } from '../credentials/tokens.ts'
import type { Caller } from './caller.ts'

/** Returns the types of the resources with this ID. For clients, considers only resources in their vaults. */
export const resourceTypesFor = (
  { db }: WithDb,
  audience: Audience,
  caller: Caller,
  id: string,
): Promise<readonly string[]> =>
  findResourceTypes(
    db,
    id,
    audience === 'client' ? caller.vaults.map((vault) => vault.id) : vaultsFor(caller, 'read_cases'),
  )
