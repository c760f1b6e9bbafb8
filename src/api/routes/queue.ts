/** What waits for an operator, or for somebody else, and what is looked for, in every vault. */
import { listAnswer } from '../../contracts/common.ts'
import {
  listQueueQuery,
  lookUpIdentificationsQuery,
  lookUpKybQuery,
  queueListAnswer,
} from '../../contracts/queue.ts'
import { lookUp } from '../../db/cases/lookup.ts'
import { listQueue } from '../../db/cases/queue.ts'
import { queueFilterOf } from '../../use-cases/cases/queue-filter.ts'
import { type Route, route } from '../route.ts'

export const queueRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/queue',
    role: 'operator_review',
    summary: 'List what waits for an operator or somebody else, the longest waiting first',
    response: { 200: queueListAnswer },
    query: listQueueQuery,
    handler: async ({ deps: { db }, caller: { actor }, query }) => {
      const { entries, totalCount } = await listQueue(db, query, queueFilterOf(query, actor))
      return { body: listAnswer(entries, totalCount, query) }
    },
  }),
  route({
    method: 'get',
    path: '/identifications',
    role: 'operator_review',
    summary: 'Find identifications of every vault by an exact e-mail, name or external_uuid',
    response: { 200: queueListAnswer },
    query: lookUpIdentificationsQuery,
    handler: async ({ deps: { db }, query }) => {
      const { external_uuid: externalId, vault_id: vaultId, ...wanted } = query
      const asked = { ...wanted, externalId, vaultId }
      const { entries, totalCount } = await lookUp(db, 'identification', asked, query)
      return { body: listAnswer(entries, totalCount, query) }
    },
  }),
  route({
    method: 'get',
    path: '/kyb',
    role: 'operator_review',
    summary: 'Find applications of every vault by an exact e-mail, name or external_id',
    response: { 200: queueListAnswer },
    query: lookUpKybQuery,
    handler: async ({ deps: { db }, query }) => {
      const { external_id: externalId, vault_id: vaultId, ...wanted } = query
      const asked = { ...wanted, externalId, vaultId }
      const { entries, totalCount } = await lookUp(db, 'kyb', asked, query)
      return { body: listAnswer(entries, totalCount, query) }
    },
  }),
]
