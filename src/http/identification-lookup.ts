/** Operators find identifications of every vault by an exact e-mail or name (design, section 6.10). */
import { listAnswer } from '../contracts/common.ts'
import { lookUpIdentifications, queueList } from '../contracts/operator.ts'
import { lookUpIdentifications as lookUp } from '../db/lookup.ts'
import type { AppDeps } from './deps.ts'
import { type Route, route } from './route.ts'

export const identificationLookupRoutes = ({ db }: AppDeps): Route[] => [
  route({
    method: 'get',
    path: '/identifications',
    role: 'operator_review',
    summary: 'Find identifications of every vault by an exact e-mail or name',
    response: { 200: queueList },
    query: lookUpIdentifications,
    handler: async ({ query }) => {
      const { entries, totalCount } = await lookUp(db, query, query)
      return { body: listAnswer(entries, totalCount, query) }
    },
  }),
]
