/** Schemas for the groups of the OpenID provider. */
import { z } from 'zod'
import { described, requiredText } from './common.ts'
import { dataOf, named } from './response.ts'
import { operatorGrants } from './user.ts'

const name = described(requiredText(255), 'Name of the group at the OpenID provider.', 'reviewers')

export const groupParams = z.object({ name })
export const changeGroupBody = z.strictObject({ operator_grants: operatorGrants })

const group = named('OperatorGroup', z.strictObject({ name, operator_grants: operatorGrants }))
export const groupResponse = dataOf(group)
export const groupListResponse = z.strictObject({
  data: z.array(group).describe('Groups that grant roles, sorted by name.'),
})
