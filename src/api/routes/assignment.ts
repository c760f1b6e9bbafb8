/** Routes for the assignment of cases to operators. */
import { assignBody, assignmentResponse } from '../../contracts/assignment.ts'
import { assign, unassign } from '../../use-cases/case/assignment.ts'
import { findTarget } from '../../use-cases/case/entity-ref.ts'
import { presentAssignment } from '../presenters/assignment.ts'
import { entityRoutes } from '../routing/entity-routes.ts'
import { route } from '../routing/route.ts'

export const assignmentRoutes = entityRoutes((noun, path, entity) => [
  route({
    name: `assign${noun}`,
    at: `PUT ${path}/assignment`,
    role: 'decide',
    summary: 'Assign the case to yourself',
    retryGuidance: 'same',
    errors: assign.refuses,
    response: { 200: assignmentResponse },
    body: assignBody,
    handler: async ({ deps, caller, params: { id }, body }) => {
      const target = await findTarget(deps, caller, 'decide', entity, id)
      const assignment = await assign(deps, target, caller.actor, body.take_over)
      return { body: { data: presentAssignment(assignment) } }
    },
  }),
  route({
    name: `unassign${noun}`,
    at: `DELETE ${path}/assignment`,
    role: 'decide',
    summary: 'Unassign the case',
    retryGuidance: 'same',
    errors: unassign.refuses,
    response: { 200: assignmentResponse },
    handler: async ({ deps, caller, params: { id } }) => {
      const assignment = await unassign(
        deps,
        await findTarget(deps, caller, 'decide', entity, id),
        caller.actor,
      )
      return { body: { data: presentAssignment(assignment) } }
    },
  }),
])
