/** Stored files of applications and of persons, for operators. */
import { fileContent } from '../../contracts/answer.ts'
import { idParams } from '../../contracts/common.ts'
import { readFileQuery } from '../../contracts/review.ts'
import { findAttachedFile } from '../../db/cases/file.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { giveFile } from '../../use-cases/cases/file-reading.ts'
import { type Route, route } from '../route.ts'

export const fileRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/files/:id',
    role: 'operator_review',
    summary: 'Read a file; a picture without its metadata, unless the original is asked for',
    response: { 200: fileContent },
    params: idParams,
    query: readFileQuery,
    handler: async ({ deps, caller, res, params: { id }, query }) => {
      const file = await findAttachedFile(deps.db, id)
      if (!file) throw new RequestRefused({ code: 'not_found' })
      return giveFile(deps, { caller, res }, file, { asView: query.original !== 'true' })
    },
  }),
]
