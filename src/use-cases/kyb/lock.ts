/** Edits of an application that has ended are refused before anything that is wrong with them. */
import { readKybSnapshot } from '../../db/cases/snapshot.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { decideKyb } from '../../domain/kyb/application.ts'
import type { Caller } from '../access/caller.ts'
import { ofClient } from '../cases/entity-ref.ts'
import type { Deps } from '../deps.ts'

export async function refuseLocked({
  deps: { db },
  caller,
  params: { id },
}: {
  readonly deps: Pick<Deps, 'db'>
  readonly caller: Caller
  readonly params: { readonly id: string }
}): Promise<void> {
  const { vaultId } = await ofClient(db, caller, 'api_write', 'kyb', id)
  const state = await readKybSnapshot(db, vaultId, id)
  const problem = state && decideKyb(state, 'patch')
  if (problem) throw new RequestRefused(problem)
}
