/** Requests to sign in and to change a password. */
import { z } from 'zod'
import { dataOf, unixTime, uuid } from './response.ts'

const password = (description: string) =>
  z
    .string()
    .min(1)
    .max(1_000)
    .meta({ description, examples: ['seven words that nobody else would think of'] })
const EMAIL = 'ada@example.com'

export const signInBody = z.strictObject({
  email: z
    .string()
    .min(1)
    .max(254)
    .meta({ description: 'Of the user or operator.', examples: [EMAIL] }),
  password: password('Of the user or operator.'),
  otp_attempt: z
    .string()
    .max(20)
    .optional()
    .meta({
      description: 'The code of the authenticator app, where the user has one.',
      examples: ['123456'],
    }),
})

export const changePasswordBody = z.strictObject({
  current_password: password('The one until now.'),
  new_password: z
    .string()
    .min(12, 'A password has at least 12 characters.')
    .max(1_000)
    .meta({
      description: 'The one from now on: at least 12 characters.',
      examples: ['seven other words that nobody would think of'],
    }),
})

const session = {
  access_token: z.string().meta({
    description: 'Goes into the header `Authorization`.',
    examples: ['eyJhbGciOiJFZERTQSJ9.e30.c2ln'],
  }),
  expires_at: unixTime.describe('When the token ends, in Unix seconds: then sign in again.'),
  user: z
    .strictObject({
      id: uuid.describe('Of the user.'),
      email: z.string().meta({ description: 'Of the user.', examples: [EMAIL] }),
      password_change_required: z
        .literal(true)
        .meta({ description: 'The token opens nothing but the change of the password.' })
        .optional(),
    })
    .describe('Who signed in.'),
  vaults: z
    .array(
      z.strictObject({
        id: uuid.describe('The `vault_id` of paths and queries.'),
        name: z.string().meta({ description: 'For people.', examples: ['Analytical Engines'] }),
        roles: z
          .array(z.string())
          .meta({ description: 'What the user may do there.', examples: [['api_read', 'api_write']] }),
      }),
    )
    .meta({ description: 'What the user can reach as a client; the first one is the default.' }),
}

const clientSession = z.strictObject(session)

const operatorSession = z.strictObject({
  ...session,
  operator_roles: z
    .array(z.string())
    .meta({ description: 'What the operator may do.', examples: [['operator_review']] }),
})

export const sessionResponse = (audience: 'client' | 'operator') =>
  dataOf(audience === 'client' ? clientSession : operatorSession)
