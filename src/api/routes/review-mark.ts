/** Routes for the caller's marks on the fields and documents of a case. */
import {
  changeMarksBody,
  clearedOf,
  marksOf,
  presentMark,
  reviewMarksResponse,
} from '../../contracts/review-mark.ts'
import { findTarget } from '../../use-cases/case/entity-ref.ts'
import { readReviewMarks, setReviewMarks } from '../../use-cases/review/review-mark.ts'
import { entityRoutes } from '../routing/entity-routes.ts'
import { route } from '../routing/route.ts'

export const reviewMarkRoutes = entityRoutes((noun, path, entity) => [
  route({
    name: `list${noun}Marks`,
    at: `GET ${path}/marks`,
    role: 'read_cases',
    summary: 'List your marks on the fields and documents of the case',
    response: { 200: reviewMarksResponse },
    handler: async ({ deps, caller, by, params: { id } }) => {
      const target = await findTarget(deps, caller, 'read_cases', entity, id)
      const marks = await readReviewMarks(deps, by, target, caller.userId ?? '')
      return { body: { data: marks.map(presentMark) } }
    },
  }),
  route({
    name: `change${noun}Marks`,
    at: `PATCH ${path}/marks`,
    role: 'decide',
    summary: 'Accept or flag fields and documents of the case',
    retryGuidance: 'same',
    errors: setReviewMarks.refuses,
    response: { 200: reviewMarksResponse },
    body: changeMarksBody,
    handler: async ({ deps, caller, by, params: { id }, body }) => {
      const target = await findTarget(deps, caller, 'decide', entity, id)
      const userId = caller.userId ?? ''
      await setReviewMarks(deps, target, userId, marksOf(body), clearedOf(body))
      const marks = await readReviewMarks(deps, by, target, userId)
      return { body: { data: marks.map(presentMark) } }
    },
  }),
])
