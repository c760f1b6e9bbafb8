/** Requests to sign in and to change a password. */
import { z } from 'zod'
import { dataOf, unixTime, uuid } from './answer.ts'

const password = z.string().min(1).max(1_000)

export const signInBody = z.strictObject({
  email: z.string().min(1).max(254),
  password,
  otp_attempt: z.string().max(20).optional(),
})

export const changePasswordBody = z.strictObject({
  current_password: password,
  new_password: z
    .string()
    .min(12, 'A password has at least 12 characters.')
    .max(1_000)
    .meta({ examples: ['seven words that nobody else would think of'] }),
})

const session = {
  access_token: z.string().meta({ examples: ['eyJhbGciOiJFZERTQSJ9.e30.c2ln'] }),
  expires_at: unixTime,
  user: z.strictObject({
    id: uuid,
    email: z.string().meta({ examples: ['ada@example.com'] }),
    password_change_required: z
      .literal(true)
      .meta({ description: 'The token opens nothing but the change of the password.' })
      .optional(),
  }),
}

const clientSession = z.strictObject({
  ...session,
  vaults: z
    .array(z.strictObject({ id: uuid, name: z.string(), roles: z.array(z.string()) }))
    .meta({ description: 'The first one is the default.' }),
})

const operatorSession = z.strictObject({
  ...session,
  operator_roles: z.array(z.string().meta({ examples: ['operator_review'] })),
})

export const sessionAnswer = (audience: 'client' | 'operator') =>
  dataOf(audience === 'client' ? clientSession : operatorSession)
