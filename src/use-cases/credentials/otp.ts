/**
 * Creates secrets for authenticator apps, and checks their one-time codes (TOTP, RFC 6238). A code has six digits and
 * changes every 30 seconds.
 */
import { Secret, TOTP } from 'otpauth'

const PERIOD_SECONDS = 30
/** How many earlier and later codes are valid, to allow for clock differences and for the time to type a code. */
const STEPS_EITHER_WAY = 1
const SECRET_BYTES = 20

const totp = (secret: string, label = '') =>
  new TOTP({
    issuer: 'Gatehouse',
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  })

/** Returns 160 random bits in base 32, the format that apps expect. */
export const newOtpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

export const otpUrl = (secret: string, email: string): string => totp(secret, email).toString()

/** Returns the code's time step, so that the code can be marked as used. Returns null if the code is not valid now. */
export function otpStepOf(secret: string, code: string, now: number): number | null {
  const token = code.replaceAll(' ', '')
  // `validate` throws if the text has six characters but more bytes.
  if (!/^[0-9]{6}$/.test(token)) return null
  const delta = totp(secret).validate({ token, timestamp: now, window: STEPS_EITHER_WAY })
  return delta === null ? null : Math.floor(now / 1000 / PERIOD_SECONDS) + delta
}
