/** Codes as an authenticator app shows them, and enrolling for them. */
import { Secret, TOTP } from 'otpauth'
import type { Api } from './api.ts'
import { PASSWORD } from './people.ts'

/** The code of this moment, or of steps later. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

/** Asks for a secret as its user; `otp_attempt` is a code of the secret in force. */
export const askSecret = (api: Api, otp_attempt?: string) =>
  api.post('/users/otp', { current_password: PASSWORD, ...(otp_attempt && { otp_attempt }) })

export const confirmSecret = (api: Api, secret: string, steps = 0) =>
  api.post('/users/otp/confirm', { code: codeOf(secret, steps) })
