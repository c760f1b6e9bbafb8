/** One-time codes of an authenticator app (TOTP, RFC 6238): six digits that change every 30 seconds. */
import { Secret, TOTP } from 'otpauth'

const PERIOD_SECONDS = 30
/** A clock may be off by one step, and a code may take a while to be typed in. */
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

/** 160 bits in base 32, as apps take it. */
export const newOtpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

/** What an app reads from a QR code. */
export const otpUrl = (secret: string, email: string): string => totp(secret, email).toString()

/** The time step whose code this is, so that it can be used up; null for a code of no step near to now. */
export function otpStepOf(secret: string, code: string, now: number): number | null {
  const token = code.replaceAll(' ', '')
  // The comparison fails on what has six characters but more bytes.
  if (!/^[0-9]{6}$/.test(token)) return null
  const delta = totp(secret).validate({ token, timestamp: now, window: STEPS_EITHER_WAY })
  return delta === null ? null : Math.floor(now / 1000 / PERIOD_SECONDS) + delta
}
