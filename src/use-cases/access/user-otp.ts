/**
 * Use cases for one-time codes. Users enrol themselves, so that no one else sees the secret. Administrators can only
 * remove codes.
 */
import {
  confirmOtp as confirmSecret,
  readOtpSecret,
  removeOtp,
  setPendingOtp,
} from '../../db/access/user-otp.ts'
import { transaction } from '../../db/connection/database.ts'
import type { By } from '../../domain/access/audit.ts'
import type { User } from '../../domain/access/user.ts'
import { type Refusals, RequestRefused } from '../../domain/base/errors.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { newOtpSecret, otpStepOf, otpUrl } from '../credentials/otp.ts'
import { checkPassword, type OwnAccount, requireUserWithPassword } from './password.ts'
import { spendCode } from './sign-in.ts'
import { changeUser, getUser, recordUser } from './users.ts'

/** The new secret. No later response contains it. */
export interface OtpEnrolment {
  readonly secret: string
  /** The secret as a URL for a QR code. */
  readonly url: string
}

/**
 * Creates and returns a secret. An earlier secret remains valid until the new one is confirmed. Throws `invalid` for a
 * wrong password or code, `required` if a code is missing, LimitReached after too many failed attempts, and RateReached
 * after too many changes.
 */
export async function enrolOtp(
  deps: Pick<Deps, 'db' | 'signIns' | 'spend'>,
  { userId, by, ip }: OwnAccount,
  { password, code }: { password: string; code: string | undefined },
): Promise<OtpEnrolment> {
  const { db } = deps
  const user = await requireUserWithPassword(db, userId)
  // An administrator knows the one-time password, so it does not prove who the user is.
  if (user.passwordExpiresAt) throw new RequestRefused({ code: 'password_change_required' })
  const attempt = await checkPassword(deps, user, ip, password)
  if (user.otpRequiredForLogin) {
    if (code === undefined) {
      await attempt.forgive()
      throw new RequestRefused({ code: 'required', field: 'otp_attempt' })
    }
    await attempt.tryCode()
    if (!(await spendCode(db, user.id, code))) throw new RequestRefused(WRONG_CODE)
  }
  await attempt.succeed()
  await deps.spend('settings', user.id)
  const secret = newOtpSecret()
  await transaction(db, async (tx) => {
    await setPendingOtp(tx, userId, secret)
    await recordUser(tx, by, 'otp_enrolled', userId)
  })
  return { secret, url: otpUrl(secret, user.email) }
}

enrolOtp.refuses = ['too_many_attempts', 'password_change_required'] as const satisfies Refusals

const WRONG_CODE = {
  code: 'invalid',
  field: 'otp_attempt',
  message: 'The one-time code is wrong or already used. Send the next code.',
} as const

/** Confirms the new secret. Throws `not_found`, and `invalid` if there is no new secret or the code is wrong. */
export async function confirmOtp({ db }: WithDb, by: By, userId: string, code: string): Promise<User> {
  await getUser({ db }, userId)
  const pending = await readOtpSecret(db, 'pending', userId)
  if (pending === null) throw refused('There is no secret to confirm. Create one with POST /users/otp first.')
  const step = otpStepOf(pending.secret, code, pending.now)
  if (step === null)
    throw refused('The one-time code is wrong or expired. Send the current code from the app.')
  return changeUser(db, by, 'otp_confirmed', userId, (tx) => confirmSecret(tx, userId, pending.secret, step))
}

/** Removes a user's codes. Throws `not_found`. */
export const removeCodes = ({ db }: WithDb, by: By, userId: string): Promise<User> =>
  changeUser(db, by, 'otp_removed', userId, (tx) => removeOtp(tx, userId))

const refused = (message: string) => new RequestRefused({ code: 'invalid', field: 'code', message })
