/** Requests to sign in and to change a password (design, section 6.1). */
import { z } from 'zod'

const password = z.string().min(1).max(1_000)

export const signIn = z.strictObject({
  email: z.string().min(1).max(254),
  password,
  otp_attempt: z.string().max(20).optional(),
})

export const changePassword = z.strictObject({
  current_password: password,
  new_password: z.string().min(12, 'A password has at least 12 characters.').max(1_000),
})
