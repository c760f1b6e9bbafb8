/** Requests to sign in (design, section 6.1). */
import { z } from 'zod'

export const signIn = z.strictObject({
  email: z.string().min(1).max(254),
  password: z.string().min(1).max(1_000),
  otp_attempt: z.string().max(20).optional(),
})
