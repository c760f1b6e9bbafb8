/** Use cases for the vault names and emails that lists and filters show. */
import { validate as isUuid } from 'uuid'
import { readEmails } from '../../db/access/user.ts'
import { readVaultNames } from '../../db/access/vault.ts'
import { operatorActor, operatorIdOf } from '../../domain/access/access.ts'
import type { VaultScope } from '../../domain/access/grant.ts'
import type { WithDb } from '../base/deps.ts'

export type Names = ReadonlyMap<string, string>

/** Returns the names of the vaults in the scope, keyed by ID and sorted by name. */
export const listVaultNames = ({ db }: WithDb, scope: VaultScope): Promise<Names> => readVaultNames(db, scope)

/** Returns emails, keyed by user ID. Omits unknown users, and text that is no ID, which must not break a whole list. */
export const listEmails = ({ db }: WithDb, userIds: Iterable<string>): Promise<Names> =>
  readEmails(db, [...new Set(userIds)].filter(isUuid))

/** Returns the emails of operators, keyed by the operators' names in timelines. */
export async function listOperatorNames(
  deps: WithDb,
  actors: Iterable<string | null | undefined>,
): Promise<Names> {
  const ids = [...actors].flatMap((actor) => operatorIdOf(actor ?? '') ?? [])
  return new Map([...(await listEmails(deps, ids))].map(([id, email]) => [operatorActor(id), email]))
}
