/** Routes for stored files, for operators. */

import { fileContent } from '../../contracts/response.ts'
import { readFileQuery } from '../../contracts/review.ts'
import { FileBody } from '../../http/file-response.ts'
import { readFile } from '../../use-cases/case/file-reading.ts'
import { type Route, route } from '../routing/route.ts'

export const fileRoutes: readonly Route[] = [
  route({
    name: 'getFile',
    at: 'GET /files/:id',
    role: 'read_cases',
    summary: 'Read a file, by default without image metadata',
    response: { 200: fileContent },
    query: readFileQuery,
    handler: async ({ deps, caller, by, res, params: { id }, query }) => {
      const asView = query.original !== 'true'
      return { body: new FileBody(await readFile(deps, caller, by, res, id, { asView })) }
    },
  }),
]
