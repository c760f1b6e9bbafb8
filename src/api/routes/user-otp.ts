/** One-time codes of users: enrolled, confirmed and switched off by operators who administer. */

import { idParams } from '../../contracts/common.ts'
import { confirmOtpBody, otpAnswer, userAnswer } from '../../contracts/user.ts'
import { confirmOtp, readOtpSecret, setPendingOtp } from '../../db/access/user-otp.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { byOf } from '../../http/address.ts'
import { newOtpSecret, otpStepOf, otpUrl } from '../../use-cases/access/otp.ts'
import { answerUser, changing, recordUser, removeCodes, requireUser } from '../../use-cases/access/users.ts'
import { type Route, route } from '../route.ts'

const PATH = '/users/:id/otp'

export const userOtpRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: PATH,
    role: 'operator_admin',
    summary: 'Enrol a user for one-time codes; the secret is shown this once',
    lost: 'replaced',
    response: { 201: otpAnswer },
    params: idParams,
    handler: async ({ deps: { db }, caller, req, params: { id }, effect }) => {
      const { email } = await requireUser(db, id)
      const secret = newOtpSecret()
      const data = { user_id: id, secret, otpauth_url: otpUrl(secret, email) }
      return effect.commit((outer) =>
        transaction(outer, async (tx) => {
          await setPendingOtp(tx, id, secret)
          await recordUser(tx, byOf(caller, req), 'otp_enrolled', id)
          return { answer: { status: 201 as const, body: { data } } }
        }),
      )
    },
  }),
  route({
    method: 'post',
    path: `${PATH}/confirm`,
    role: 'operator_admin',
    summary: 'Confirm the enrolment with a code of the app',
    lost: 'codes',
    response: { 200: userAnswer },
    params: idParams,
    body: confirmOtpBody,
    handler: async ({ deps: { db }, caller, req, params: { id }, body: { code } }) => {
      await requireUser(db, id)
      const pending = await readOtpSecret(db, 'pending', id)
      if (pending === null) throw refused('Nothing waits to be confirmed: enrol first.')
      const step = otpStepOf(pending.secret, code, pending.now)
      if (step === null) throw refused('Send the code that the app shows now.')
      const confirm = (tx: Database) => confirmOtp(tx, id, pending.secret, step)
      return { body: answerUser(await changing(db, byOf(caller, req), 'otp_confirmed', id, confirm)) }
    },
  }),
  route({
    method: 'delete',
    path: PATH,
    role: 'operator_admin',
    summary: 'Switch one-time codes off',
    lost: 'same',
    response: { 200: userAnswer },
    params: idParams,
    handler: async ({ deps: { db }, caller, req, params: { id } }) => ({
      body: answerUser(await removeCodes(db, byOf(caller, req), id)),
    }),
  }),
]

const refused = (message: string) => new RequestRefused({ code: 'invalid', field: 'code', message })
