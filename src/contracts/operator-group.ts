/** Schemas for the groups of the OpenID provider. */
import { z } from 'zod'
import { requiredText } from './common.ts'
import { dataOf, named } from './response.ts'
import { operatorGrants } from './user.ts'

const name = requiredText(255).meta({
  description: 'Name of the group at the OpenID provider.',
  examples: ['reviewers'],
})

export const groupParams = z.object({ name })
export const changeGroupBody = z.strictObject({ operator_grants: operatorGrants })

const group = named('OperatorGroup', z.strictObject({ name, operator_grants: operatorGrants }))
export const groupResponse = dataOf(group)
export const groupListResponse = z.strictObject({
  data: z.array(group).describe('Groups that grant roles, sorted by name.'),
})
