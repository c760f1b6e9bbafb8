/** Routes for the review queue and the search over all vaults. */

import { listResponse } from '../../contracts/common.ts'
import {
  listQueueQuery,
  lookUpIdentificationsQuery,
  lookUpKybQuery,
  queueFilterOf,
  queueListResponse,
  searchListResponse,
} from '../../contracts/queue.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import { byOf } from '../../http/address.ts'
import { listQueue, lookUpEntities } from '../../use-cases/review/queue.ts'
import { presentQueueEntry, presentSearchEntry } from '../presenters/queue.ts'
import { type Route, route } from '../routing/route.ts'

export const queueRoutes: readonly Route[] = [
  route({
    name: 'listQueue',
    method: 'get',
    path: '/queue',
    role: 'read_cases',
    summary: 'List the cases that are awaiting review or another party, longest wait first',
    response: { 200: queueListResponse },
    query: listQueueQuery,
    handler: async ({ deps, caller, req, query }) => {
      const { entries, totalCount } = await listQueue(
        deps,
        caller,
        byOf(caller, req),
        queueFilterOf(query, caller),
        query,
      )
      return { body: listResponse(entries.map(presentQueueEntry), totalCount, query) }
    },
  }),
  route({
    name: 'findIdentifications',
    method: 'get',
    path: '/identifications',
    role: 'read_cases',
    summary: 'Find identifications of all vaults by an exact email, name or external_uuid',
    response: { 200: searchListResponse },
    query: lookUpIdentificationsQuery,
    handler: async ({ deps, caller, req, query }) => {
      const { external_uuid: externalId, vault_id: vaultId, ...wanted } = query
      const scope = vaultsFor(caller, 'read_cases', vaultId)
      const asked = { ...wanted, externalId, scope }
      const { entries, totalCount } = await lookUpEntities(
        deps,
        byOf(caller, req),
        'identification',
        asked,
        query,
      )
      return { body: listResponse(entries.map(presentSearchEntry), totalCount, query) }
    },
  }),
  route({
    name: 'findKybApplications',
    method: 'get',
    path: '/kyb',
    role: 'read_cases',
    summary: 'List applications of all vaults, or find them by an exact email, name or external_id',
    response: { 200: searchListResponse },
    query: lookUpKybQuery,
    handler: async ({ deps, caller, req, query }) => {
      const { external_id: externalId, vault_id: vaultId, ...wanted } = query
      const scope = vaultsFor(caller, 'read_cases', vaultId)
      const asked = { ...wanted, externalId, scope }
      const { entries, totalCount } = await lookUpEntities(deps, byOf(caller, req), 'kyb', asked, query)
      return { body: listResponse(entries.map(presentSearchEntry), totalCount, query) }
    },
  }),
]
