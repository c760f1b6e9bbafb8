/** Schemas for administrative actions that wait for a second administrator. */
import { z } from 'zod'
import { ADMIN_ACTIONS } from '../domain/access/admin-action.ts'
import { described, pageQuery } from './common.ts'
import { dataOf, listOf, named, unixTime, uuid } from './response.ts'

export const listAdminActionsQuery = z.strictObject(pageQuery(25))

const adminAction = named(
  'AdminAction',
  z.strictObject({
    id: uuid.describe('ID of the action.'),
    action: z.enum(ADMIN_ACTIONS).describe('Type of the action.'),
    user_id: described(
      uuid.nullable(),
      'The user that the action changes. Null for a new user and for a vault.',
    ),
    vault_id: uuid.nullable().meta({ description: 'The vault that the action changes. Null for a user.' }),
    changes: described(
      z.record(z.string(), z.unknown()),
      'The values that the action sets. A logo appears as `true`.',
      { four_eyes: [] },
    ),
    proposed_by: described(
      z.string(),
      'The administrator who proposed the action. Another administrator must confirm it.',
      'system',
    ),
    proposed_at: unixTime.describe('Time of the proposal, in Unix seconds.'),
    one_time_password_half: described(
      z.string(),
      'Half of the one-time password that the action creates. The proposer sees the first half, and the second administrator sees the second half. Shown once.',
      '7hKqRWxN2c',
    ).optional(),
  }),
)
export const adminActionResponse = dataOf(adminAction)
export const adminActionListResponse = listOf(adminAction)
