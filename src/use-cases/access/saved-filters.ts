/** Filters of the queue that operators save under names of their own. */
import {
  deleteSavedFilter as deleteFilter,
  listSavedFilters as listFilters,
  saveFilter as storeFilter,
} from '../../db/access/saved-filter.ts'
import type { SavedFilter } from '../../domain/access/saved-filter.ts'
import type { Deps } from '../deps.ts'

type WithDb = Pick<Deps, 'db'>

/** In the order of their names. */
export const listSavedFilters = ({ db }: WithDb, userId: string): Promise<SavedFilter[]> =>
  listFilters(db, userId)

/** Replaces a filter of the same name. Returns false if the operator has the most filters that are possible. */
export const saveFilter = ({ db }: WithDb, userId: string, filter: SavedFilter): Promise<boolean> =>
  storeFilter(db, userId, filter)

export const deleteSavedFilter = ({ db }: WithDb, userId: string, name: string): Promise<void> =>
  deleteFilter(db, userId, name)
