/** Routes for the review queue and the search over all vaults. */
import { listResponse } from '../../contracts/common.ts'
import {
  assignedNextResponse,
  listQueueQuery,
  lookUpIdentificationsQuery,
  lookUpKybQuery,
  queueFilter,
  queueFilterOf,
  queueListResponse,
  searchListResponse,
} from '../../contracts/queue.ts'
import { presenterOf } from '../../contracts/record.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import type { DetailedEntry, TitledEntry } from '../../domain/review/queue.ts'
import { assignNext, listQueue, lookUpEntities } from '../../use-cases/review/queue.ts'
import { type Route, route } from '../routing/route.ts'

const presentFound = presenterOf(searchListResponse.shape.data.element)
const presentListed = presenterOf(queueListResponse.shape.data.element)

const withPending = <E extends TitledEntry>(entry: E) => ({ ...entry, isPending: entry.pending !== null })

const presentSearchEntry = (entry: TitledEntry) => presentFound(withPending(entry))

const presentQueueEntry = (entry: DetailedEntry) => presentListed(withPending(entry))

export const queueRoutes: readonly Route[] = [
  route({
    name: 'listQueue',
    at: 'GET /queue',
    role: 'read_cases',
    summary: 'List the cases that are awaiting review or another party, longest wait first',
    response: { 200: queueListResponse },
    query: listQueueQuery,
    handler: async ({ deps, caller, by, query }) => {
      const listed = await listQueue(deps, caller, by, queueFilterOf(query, caller), query)
      return { body: listResponse(listed, query, presentQueueEntry) }
    },
  }),
  route({
    name: 'assignNextCase',
    at: 'POST /queue/assign_next',
    role: 'decide',
    summary: 'Assign to yourself the unassigned case that has waited longest and matches the filter',
    retryGuidance: 'twice',
    response: { 200: assignedNextResponse },
    query: queueFilter,
    handler: async ({ deps, caller, query }) => {
      const next = await assignNext(deps, queueFilterOf(query, caller, 'decide'), caller.actor)
      return { body: { data: next && { kind: next.entity, id: next.id, vault_id: next.vaultId } } }
    },
  }),
  route({
    name: 'findIdentifications',
    at: 'GET /identifications',
    role: 'read_cases',
    summary:
      'Find identifications of all vaults by an exact email, name or external_uuid, or by country or risk',
    response: { 200: searchListResponse },
    query: lookUpIdentificationsQuery,
    handler: async ({ deps, caller, by, query }) => {
      const { external_uuid: externalId, vault_id: vaultId, risk: riskLevel, ...wanted } = query
      const scope = vaultsFor(caller, 'read_cases', vaultId)
      const asked = { ...wanted, externalId, riskLevel, scope }
      const listed = await lookUpEntities(deps, by, 'identification', asked, query)
      return { body: listResponse(listed, query, presentSearchEntry) }
    },
  }),
  route({
    name: 'findKybApplications',
    at: 'GET /kyb',
    role: 'read_cases',
    summary:
      'List applications of all vaults, or find them by an exact email, name or external_id, or by country or risk',
    response: { 200: searchListResponse },
    query: lookUpKybQuery,
    handler: async ({ deps, caller, by, query }) => {
      const { external_id: externalId, vault_id: vaultId, risk: riskLevel, ...wanted } = query
      const scope = vaultsFor(caller, 'read_cases', vaultId)
      const asked = { ...wanted, externalId, riskLevel, scope }
      const listed = await lookUpEntities(deps, by, 'kyb', asked, query)
      return { body: listResponse(listed, query, presentSearchEntry) }
    },
  }),
]
