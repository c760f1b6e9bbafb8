/** Schemas for signing in and changing a password. */
import { z } from 'zod'
import { dataOf, unixTime, uuid } from './response.ts'
import { operatorGrants } from './user.ts'

const password = (description: string) =>
  z
    .string()
    .min(1)
    .max(1_000)
    .meta({ description, examples: ['seven words that are hard to guess together'] })
const EMAIL = 'ada@example.com'

export const signInBody = z.strictObject({
  email: z
    .string()
    .min(1)
    .max(254)
    .meta({ description: 'The user’s email address.', examples: [EMAIL] }),
  password: password('The user’s password.'),
  otp_attempt: z
    .string()
    .max(20)
    .optional()
    .meta({
      description:
        'One-time code from the authenticator app. Required if one-time codes are on for the user.',
      examples: ['123456'],
    }),
})

export const changePasswordBody = z.strictObject({
  current_password: password('The current password.'),
  new_password: z
    .string()
    .min(12, 'The password is too short. Send at least 12 characters.')
    .max(1_000)
    .meta({
      description: 'The new password, at least 12 characters.',
      examples: ['seven other words that are hard to guess'],
    }),
})

const session = {
  access_token: z.string().meta({
    description: 'Access token for the `Authorization` header.',
    examples: ['eyJhbGciOiJFZERTQSJ9.e30.c2ln'],
  }),
  expires_at: unixTime.describe('Time when the token expires, in Unix seconds.'),
  user: z
    .strictObject({
      id: uuid.describe('ID of the user.'),
      email: z.string().meta({ description: 'The user’s email address.', examples: [EMAIL] }),
      password_change_required: z
        .literal(true)
        .meta({
          description:
            'Present if the password is a one-time password. The token is then valid only for changing the password.',
        })
        .optional(),
    })
    .describe('The user who signed in.'),
  vaults: z
    .array(
      z.strictObject({
        id: uuid.describe('ID of the vault, for the `vault_id` in paths and queries.'),
        name: z.string().meta({ description: 'Name of the vault.', examples: ['Analytical Engines'] }),
        roles: z
          .array(z.string())
          .meta({ description: 'The user’s roles in the vault.', examples: [['api_read', 'api_write']] }),
      }),
    )
    .meta({ description: 'Vaults that the user can access. The first one is the default.' }),
}

const clientSession = z.strictObject(session)

const operatorSession = z.strictObject({
  ...session,
  operator_roles: z
    .array(z.string())
    .meta({ description: 'The operator’s roles for all vaults.', examples: [['operator_review']] }),
  operator_grants: operatorGrants,
})

export const sessionResponse = (audience: 'client' | 'operator') =>
  dataOf(audience === 'client' ? clientSession : operatorSession)
