/** Requests to sign in (design, section 6.1). */
import { z } from 'zod'
import { unixTime, uuid } from './answer.ts'

export const signIn = z.strictObject({
  email: z.string().min(1).max(254),
  password: z.string().min(1).max(1_000),
  otp_attempt: z.string().max(20).optional(),
})

const session = {
  access_token: z.string().meta({ examples: ['eyJhbGciOiJFZERTQSJ9.e30.c2ln'] }),
  expires_at: unixTime,
  user: z.strictObject({ id: uuid, email: z.string().meta({ examples: ['ada@example.com'] }) }),
}

export const clientSession = z.strictObject({
  ...session,
  vaults: z
    .array(z.strictObject({ id: uuid, name: z.string(), roles: z.array(z.string()) }))
    .meta({ description: 'The first one is the default.' }),
})

export const operatorSession = z.strictObject({
  ...session,
  operator_roles: z.array(z.string().meta({ examples: ['operator_review'] })),
})
