/** Use cases for internal cases, which operators list and read. */
import { type CaseFilter, listCases as listOfAll } from '../../db/cases/hold.ts'
import type { By } from '../../domain/access/audit.ts'
import { type Granted, vaultsFor } from '../../domain/access/grant.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { Page } from '../../domain/base/page.ts'
import type { CaseDetails } from '../../domain/identification/recorded-hold.ts'
import type { Deps } from '../base/deps.ts'
import { recordCaseRead } from '../case/reading-record.ts'

/** Lists the cases that match the filter, newest first. */
export const listCases = ({ db }: Pick<Deps, 'db'>, filter: Omit<CaseFilter, 'id'>, page: Page) =>
  listOfAll(db, page, filter)

/**
 * Returns a case, and records the read of its identification. Throws `not_found` if none of the operator's vaults has it.
 */
export async function getCase(
  deps: Pick<Deps, 'db' | 'spend'>,
  operator: Granted,
  by: By,
  id: string,
): Promise<CaseDetails> {
  const scope = vaultsFor(operator, 'read_cases')
  const [found] = (await listOfAll(deps.db, { page: 1, per_page: 1 }, { id, scope })).cases
  if (!found) throw new RequestRefused({ code: 'not_found' })
  const { identificationId, vaultId } = found
  await recordCaseRead(deps, by, { entity: 'identification', id: identificationId, vaultId })
  return found
}
