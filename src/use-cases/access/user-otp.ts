/** One-time codes of users: administrators enrol users, confirm the enrolment and remove the codes. */
import {
  confirmOtp as confirmSecret,
  readOtpSecret,
  removeOtp,
  setPendingOtp,
} from '../../db/access/user-otp.ts'
import { transaction } from '../../db/connection/database.ts'
import type { By } from '../../domain/access/audit.ts'
import type { User } from '../../domain/access/user.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { Deps } from '../deps.ts'
import type { Commit } from '../effect.ts'
import { newOtpSecret, otpStepOf, otpUrl } from './otp.ts'
import { changeUser, getUser, recordUser } from './users.ts'

/** Contains the secret, which no later answer shows. */
export interface OtpEnrolment {
  readonly userId: string
  readonly secret: string
  /** The secret as a link, for a QR code. */
  readonly url: string
}

type WithDb = Pick<Deps, 'db'>

/** An earlier secret stays in force until the new one is confirmed. Throws `not_found`. */
export async function enrolOtp(
  { db }: WithDb,
  by: By,
  userId: string,
  effect: Commit<OtpEnrolment>,
): Promise<OtpEnrolment> {
  const { email } = await getUser({ db }, userId)
  const secret = newOtpSecret()
  return effect.commit((outer) =>
    transaction(outer, async (tx) => {
      await setPendingOtp(tx, userId, secret)
      await recordUser(tx, by, 'otp_enrolled', userId)
      return { userId, secret, url: otpUrl(secret, email) }
    }),
  )
}

/** Throws `not_found`, and `invalid` if no enrolment is pending or the code is wrong. */
export async function confirmOtp({ db }: WithDb, by: By, userId: string, code: string): Promise<User> {
  await getUser({ db }, userId)
  const pending = await readOtpSecret(db, 'pending', userId)
  if (pending === null) throw refused('Nothing waits to be confirmed: enrol first.')
  const step = otpStepOf(pending.secret, code, pending.now)
  if (step === null) throw refused('Send the code that the app shows now.')
  return changeUser(db, by, 'otp_confirmed', userId, (tx) => confirmSecret(tx, userId, pending.secret, step))
}

/** Throws `not_found`. */
export const removeCodes = ({ db }: WithDb, by: By, userId: string): Promise<User> =>
  changeUser(db, by, 'otp_removed', userId, (tx) => removeOtp(tx, userId))

const refused = (message: string) => new RequestRefused({ code: 'invalid', field: 'code', message })
