/** Schemas for signing in and changing a password. */
import { z } from 'zod'
import { described } from './common.ts'
import { dataOf, unixTime, uuid } from './response.ts'
import { operatorGrants } from './user.ts'

const password = (description: string) =>
  described(z.string().min(1).max(1_000), description, 'seven words that are hard to guess together')
const EMAIL = 'ada@example.com'

export const signInBody = z.strictObject({
  email: described(z.string().min(1).max(254), 'The user’s email address.', EMAIL),
  password: password('The user’s password.'),
  otp_attempt: described(
    z.string().max(20).optional(),
    'One-time code from the authenticator app. Required if one-time codes are on for the user.',
    '123456',
  ),
})

export const changePasswordBody = z.strictObject({
  current_password: password('The current password.'),
  new_password: described(
    z.string().min(12, 'The password is too short. Send at least 12 characters.').max(1_000),
    'The new password, at least 12 characters.',
    'seven other words that are hard to guess',
  ),
})

const session = {
  access_token: described(
    z.string(),
    'Access token for the `Authorization` header.',
    'eyJhbGciOiJFZERTQSJ9.e30.c2ln',
  ),
  expires_at: unixTime.describe('Time when the token expires, in Unix seconds.'),
  user: z
    .strictObject({
      id: uuid.describe('ID of the user.'),
      email: described(z.string(), 'The user’s email address.', EMAIL),
      password_change_required: described(
        z.literal(true),
        'Present if the password is a one-time password. The token is then valid only for changing the password.',
      ).optional(),
    })
    .describe('The user who signed in.'),
  vaults: z
    .array(
      z.strictObject({
        id: uuid.describe('ID of the vault, for the `vault_id` in paths and queries.'),
        name: described(z.string(), 'Name of the vault.', 'Analytical Engines'),
        roles: described(z.array(z.string()), 'The user’s roles in the vault.', ['api_read', 'api_write']),
      }),
    )
    .meta({ description: 'Vaults that the user can access. The first one is the default.' }),
}

const clientSession = z.strictObject(session)

const operatorSession = z.strictObject({
  ...session,
  operator_roles: described(z.array(z.string()), 'The operator’s roles for all vaults.', ['operator_review']),
  operator_grants: operatorGrants,
})

export const sessionResponse = (audience: 'client' | 'operator') =>
  dataOf(audience === 'client' ? clientSession : operatorSession)
