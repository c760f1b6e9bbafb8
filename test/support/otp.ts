/** One-time codes, and the enrolment of an authenticator app. */
import { Secret, TOTP } from 'otpauth'
import type { Api } from './api.ts'
import { PASSWORD } from './people.ts'

/** Returns the code of the current step, or of a later one. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

/** Requests a secret as the user. `otp_attempt` is a code of the active secret. */
export const askSecret = (api: Api, otp_attempt?: string) =>
  api.post('/users/otp', { current_password: PASSWORD, ...(otp_attempt && { otp_attempt }) })

export const confirmSecret = (api: Api, secret: string, steps = 0) =>
  api.post('/users/otp/confirm', { code: codeOf(secret, steps) })
