/** Use cases for internal cases, which operators list and read. */
import { type CaseFilter, listCases as listOfAll } from '../../db/cases/hold.ts'
import { type Granted, vaultsFor } from '../../domain/access/grant.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { Page } from '../../domain/base/page.ts'
import type { CaseDetails } from '../../domain/identification/recorded-hold.ts'
import type { Deps } from '../base/deps.ts'

/** Lists the cases that match the filter, newest first. */
export const listCases = ({ db }: Pick<Deps, 'db'>, filter: Omit<CaseFilter, 'id'>, page: Page) =>
  listOfAll(db, page, filter)

/** Returns a case. Throws `not_found` if none of the operator's vaults has it. */
export async function getCase({ db }: Pick<Deps, 'db'>, operator: Granted, id: string): Promise<CaseDetails> {
  const scope = vaultsFor(operator, 'read_cases')
  const [found] = (await listOfAll(db, { page: 1, per_page: 1 }, { id, scope })).cases
  if (!found) throw new RequestRefused({ code: 'not_found' })
  return found
}
