/** Schemas for administrative actions that wait for a second administrator. */
import { z } from 'zod'
import { ADMIN_ACTIONS } from '../domain/access/admin-action.ts'
import { pageQuery } from './common.ts'
import { dataOf, listOf, named, unixTime, uuid } from './response.ts'

export const listAdminActionsQuery = z.strictObject(pageQuery(25))

const adminAction = named(
  'AdminAction',
  z.strictObject({
    id: uuid.describe('Names the action in paths.'),
    action: z.enum(ADMIN_ACTIONS).describe('What is to be done.'),
    user_id: uuid
      .nullable()
      .meta({ description: 'The user whom it is about; null for a new user and a vault.' }),
    vault_id: uuid.nullable().meta({ description: 'The vault that it is about.' }),
    changes: z.record(z.string(), z.unknown()).meta({
      description: 'The values that it sets. A logo appears as true.',
      examples: [{ four_eyes: [] }],
    }),
    proposed_by: z
      .string()
      .meta({ description: 'Another administrator confirms the action.', examples: ['system'] }),
    proposed_at: unixTime.describe('When it was proposed, in Unix seconds.'),
    one_time_password_half: z
      .string()
      .meta({
        description:
          'Half of the one-time password that the action creates: the proposer sees the first half, the second administrator the second half. Shown once.',
        examples: ['7hKqRWxN2c'],
      })
      .optional(),
  }),
)
export const adminActionResponse = dataOf(adminAction)
export const adminActionListResponse = listOf(adminAction)
