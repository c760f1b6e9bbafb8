/** Internal cases, as operators list and read them. */
import { type CaseFilter, listCases as listOfAll } from '../../db/cases/hold.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { CaseDetails } from '../../domain/identification/recorded-hold.ts'
import type { Page } from '../../domain/page.ts'
import type { Deps } from '../deps.ts'

/** Of every vault, or of one, newest first. */
export const listCases = ({ db }: Pick<Deps, 'db'>, filter: Omit<CaseFilter, 'id'>, page: Page) =>
  listOfAll(db, page, filter)

/** Throws `not_found`. */
export async function getCase({ db }: Pick<Deps, 'db'>, id: string): Promise<CaseDetails> {
  const [found] = (await listOfAll(db, { page: 1, per_page: 1 }, { id })).cases
  if (!found) throw new RequestRefused({ code: 'not_found' })
  return found
}
