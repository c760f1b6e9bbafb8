/** Schemas for administrative actions that wait for a second administrator. */
import { z } from 'zod'
import { ADMIN_ACTIONS } from '../domain/access/admin-action.ts'
import { pageQuery } from './common.ts'
import { dataOf, listOf, named, unixTime, uuid } from './response.ts'

export const listAdminActionsQuery = z.strictObject(pageQuery(25))

const adminAction = named(
  'AdminAction',
  z.strictObject({
    id: uuid.describe('ID of the action.'),
    action: z.enum(ADMIN_ACTIONS).describe('Type of the action.'),
    user_id: uuid
      .nullable()
      .meta({ description: 'The user that the action changes. Null for a new user and for a vault.' }),
    vault_id: uuid.nullable().meta({ description: 'The vault that the action changes. Null for a user.' }),
    changes: z.record(z.string(), z.unknown()).meta({
      description: 'The values that the action sets. A logo appears as `true`.',
      examples: [{ four_eyes: [] }],
    }),
    proposed_by: z.string().meta({
      description: 'The administrator who proposed the action. Another administrator must confirm it.',
      examples: ['system'],
    }),
    proposed_at: unixTime.describe('Time of the proposal, in Unix seconds.'),
    one_time_password_half: z
      .string()
      .meta({
        description:
          'Half of the one-time password that the action creates. The proposer sees the first half, and the second administrator sees the second half. Shown once.',
        examples: ['7hKqRWxN2c'],
      })
      .optional(),
  }),
)
export const adminActionResponse = dataOf(adminAction)
export const adminActionListResponse = listOf(adminAction)
