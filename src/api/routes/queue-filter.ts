/** Routes for the queue filters that the caller has saved. */
import {
  filterParams,
  savedFilterResponse,
  savedFiltersResponse,
  saveFilterBody,
} from '../../contracts/queue-filter.ts'
import { deleteSavedFilter, listSavedFilters, saveFilter } from '../../use-cases/access/saved-filters.ts'
import { type Route, route } from '../routing/route.ts'

export const queueFilterRoutes: readonly Route[] = [
  route({
    name: 'listSavedFilters',
    at: 'GET /queue_filters',
    role: 'read_cases',
    summary: 'List your saved filters of the queue',
    response: { 200: savedFiltersResponse },
    handler: async ({ deps, caller: { userId } }) => ({
      body: { data: await listSavedFilters(deps, userId ?? '') },
    }),
  }),
  route({
    name: 'saveFilter',
    at: 'PUT /queue_filters/:name',
    role: 'read_cases',
    summary: 'Save a filter of the queue, or replace the one with this name',
    retryGuidance: 'same',
    response: { 200: savedFilterResponse },
    params: filterParams,
    body: saveFilterBody,
    handler: async ({ deps, caller: { userId }, params: { name }, body: { query } }) => {
      await saveFilter(deps, userId ?? '', { name, query })
      return { body: { data: { name, query } } }
    },
  }),
  route({
    name: 'deleteSavedFilter',
    at: 'DELETE /queue_filters/:name',
    role: 'read_cases',
    summary: 'Delete a saved filter and list the remaining ones',
    retryGuidance: 'same',
    response: { 200: savedFiltersResponse },
    params: filterParams,
    handler: async ({ deps, caller: { userId }, params: { name } }) => {
      await deleteSavedFilter(deps, userId ?? '', name)
      return { body: { data: await listSavedFilters(deps, userId ?? '') } }
    },
  }),
]
