/** Codes as an authenticator app shows them. */
import { Secret, TOTP } from 'otpauth'

/** The code of this moment, or of steps later. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
