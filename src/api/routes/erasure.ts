/** Route for the identifications that are due for erasure. */
import { listResponse, periodOf } from '../../contracts/common.ts'
import { erasureListResponse, listErasuresQuery } from '../../contracts/erasure.ts'
import { presenterOf } from '../../contracts/record.ts'
import { listDueErasures } from '../../use-cases/review/erasure.ts'
import { type Route, route } from '../routing/route.ts'

const present = presenterOf(erasureListResponse.shape.data.element)

export const erasureRoutes: readonly Route[] = [
  route({
    name: 'listErasures',
    at: 'GET /erasures',
    role: 'read_settings',
    summary: 'List the identifications that are due for erasure, longest due first',
    response: { 200: erasureListResponse },
    query: listErasuresQuery,
    handler: async ({ deps, caller, query }) => {
      const filter = { vaultId: query.vault_id, kind: query.kind, ...periodOf(query) }
      return { body: listResponse(await listDueErasures(deps, caller, filter, query), query, present) }
    },
  }),
]
