/** What waits for an operator, or for somebody else, in every vault (design, section 6.7). */
import { listAnswer } from '../contracts/common.ts'
import { listQueue, queueList } from '../contracts/operator.ts'
import { listQueue as listRows } from '../db/queue.ts'
import type { AppDeps } from './deps.ts'
import { type Route, route } from './route.ts'

export const queueRoutes = ({ db }: AppDeps): Route[] => [
  route({
    method: 'get',
    path: '/queue',
    role: 'operator_review',
    summary: 'List what waits for an operator or somebody else, oldest first',
    response: { 200: queueList },
    query: listQueue,
    handler: async ({ query }) => {
      const { kind, waiting_on: waitingOn } = query
      const { entries, totalCount } = await listRows(db, query, { kind, waitingOn })
      return { body: listAnswer(entries, totalCount, query) }
    },
  }),
]
