/** Use cases for the cases that a vault's own users see in the console. */
import { countCases, readCases } from '../../db/cases/case-list.ts'
import { readClientFacts } from '../../db/cases/client-case.ts'
import { addDetails, readSettings } from '../../db/cases/queue-details.ts'
import type { Page } from '../../domain/base/page.ts'
import { type ClientCase, clientCase } from '../../domain/review/client-case.ts'
import type { CaseFilter } from '../../domain/review/queue.ts'
import { type Caller, requireVault } from '../access/caller.ts'
import type { Deps } from '../base/deps.ts'

type ClientFilter = Omit<CaseFilter, 'scope'>

/** Lists the vault's cases, newest first. */
export async function listClientCases(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  filter: ClientFilter,
  { page, per_page }: Page,
): Promise<{ readonly cases: readonly ClientCase[]; readonly hasMore: boolean }> {
  const vaultId = requireVault(caller, 'api_read')
  const range = { limit: per_page + 1, offset: (page - 1) * per_page }
  const found = await readCases(db, range, { ...filter, scope: [vaultId] })
  const shown = found.slice(0, per_page)
  const entries = await addDetails(db, shown, await readSettings(db, shown), new Map())
  const facts = await readClientFacts(db, vaultId, shown)
  const none = { due: [], linkExpiresAt: null }
  return {
    cases: entries.map((entry) => clientCase(entry, facts.get(entry.id) ?? none)),
    hasMore: found.length > per_page,
  }
}

/** Returns the number of the vault's cases. Counts at most `most` cases of each kind. */
export const countClientCases = (
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  filter: ClientFilter,
  most: number,
): Promise<number> => countCases(db, { ...filter, scope: [requireVault(caller, 'api_read')] }, most)
