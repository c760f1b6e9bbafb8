/** Use cases for the queue filters that operators save. */
import {
  deleteSavedFilter as deleteFilter,
  listSavedFilters as listFilters,
  saveFilter as storeFilter,
} from '../../db/access/saved-filter.ts'
import type { SavedFilter } from '../../domain/access/saved-filter.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { WithDb } from '../base/deps.ts'

/** Lists the operator's filters, sorted by name. */
export const listSavedFilters = ({ db }: WithDb, userId: string): Promise<SavedFilter[]> =>
  listFilters(db, userId)

/**
 * Saves a filter, and replaces an existing one with the same name. Throws `too_many` if the operator has the maximum
 * number of filters.
 */
export async function saveFilter({ db }: WithDb, userId: string, filter: SavedFilter): Promise<void> {
  if (!(await storeFilter(db, userId, filter))) throw new RequestRefused({ code: 'too_many', message: FULL })
}

const FULL = 'You have saved the maximum number of filters. Delete a filter first.'

export const deleteSavedFilter = ({ db }: WithDb, userId: string, name: string): Promise<void> =>
  deleteFilter(db, userId, name)
