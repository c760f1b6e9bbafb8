/** Which operator has what in hand. */
import { z } from 'zod'
import { dataOf, unixTime } from './response.ts'

export const assignBody = z.strictObject({
  take_over: z.boolean().default(false).meta({ description: 'Also from another operator.' }),
})

export const assignment = {
  assigned_to: z
    .string()
    .nullable()
    .meta({ description: '`operator:<id>`; null for nobody.', examples: [null] }),
  assigned_until: unixTime
    .nullable()
    .meta({ description: 'What the operator does with it puts this off.', examples: [null] }),
}
export const assignmentResponse = dataOf(z.strictObject(assignment))
