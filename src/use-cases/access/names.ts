/** Names for ids, for lists and filters: vaults by their names, users and operators by their emails. */
import { readEmails } from '../../db/access/user.ts'
import { readVaultNames } from '../../db/access/vault.ts'
import { operatorActor, operatorIdOf } from '../../domain/access/access.ts'
import type { Deps } from '../deps.ts'

export type Names = ReadonlyMap<string, string>

/** Returns the names of all vaults by their ids, in the order of the names. */
export const listVaultNames = ({ db }: Pick<Deps, 'db'>): Promise<Names> => readVaultNames(db)

/** Returns emails by the ids of users; without those that do not exist. */
export const listEmails = ({ db }: Pick<Deps, 'db'>, userIds: Iterable<string>): Promise<Names> =>
  readEmails(db, [...new Set(userIds)])

/** Returns the emails of operators, by the names that timelines have for them. */
export async function listOperatorNames(
  deps: Pick<Deps, 'db'>,
  actors: Iterable<string | null | undefined>,
): Promise<Names> {
  const ids = [...actors].flatMap((actor) => operatorIdOf(actor ?? '') ?? [])
  return new Map([...(await listEmails(deps, ids))].map(([id, email]) => [operatorActor(id), email]))
}
