/** Schemas for the assignment of cases to operators. */
import { z } from 'zod'
import { dataOf, unixTime } from './response.ts'

export const assignBody = z.strictObject({
  take_over: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether to reassign a case that is assigned to another operator.' }),
})

export const assignment = {
  assigned_to: z
    .string()
    .nullable()
    .meta({
      description: 'The operator, as `operator:<id>`. Null if the case is not assigned.',
      examples: [null],
    }),
  assigned_until: unixTime.nullable().meta({
    description:
      'Time when the assignment expires, in Unix seconds. Each action that the operator takes on the case extends it to 15 minutes. Null if the case is not assigned.',
    examples: [null],
  }),
}
export const assignmentResponse = dataOf(z.strictObject(assignment))
