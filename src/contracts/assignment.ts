/** Schemas for the assignment of cases to operators. */
import { z } from 'zod'
import { described } from './common.ts'
import { dataOf, unixTime } from './response.ts'

export const assignBody = z.strictObject({
  take_over: described(
    z.boolean().default(false),
    'Whether to reassign a case that is assigned to another operator.',
  ),
})

export const assignment = {
  assigned_to: described(
    z.string().nullable(),
    'The operator, as `operator:<id>`. Null if the case is not assigned.',
    null,
  ),
  assigned_until: described(
    unixTime.nullable(),
    'Time when the assignment expires, in Unix seconds. Each action that the operator takes on the case extends it to 15 minutes. Null if the case is not assigned.',
    null,
  ),
}
export const assignmentResponse = dataOf(z.strictObject(assignment))
