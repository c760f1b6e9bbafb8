/** What waits for an operator, or for somebody else, in every vault. */
import { listAnswer } from '../../contracts/common.ts'
import { listQueueQuery, queueListAnswer } from '../../contracts/queue.ts'
import { listQueue } from '../../db/queue.ts'
import { type Route, route } from '../route.ts'

export const queueRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/queue',
    role: 'operator_review',
    summary: 'List what waits for an operator or somebody else, oldest first',
    response: { 200: queueListAnswer },
    query: listQueueQuery,
    handler: async ({ deps: { db }, query }) => {
      const { kind, waiting_on: waitingOn } = query
      const { entries, totalCount } = await listQueue(db, query, { kind, waitingOn })
      return { body: listAnswer(entries, totalCount, query) }
    },
  }),
]
