/** Routes for one-time codes of users: administrators enrol users, confirm the enrolment and remove the codes. */
import { idParams } from '../../contracts/common.ts'
import { confirmOtpBody, otpAnswer, userAnswer } from '../../contracts/user.ts'
import { byOf } from '../../http/address.ts'
import { confirmOtp, enrolOtp, type OtpEnrolment, removeCodes } from '../../use-cases/access/user-otp.ts'
import { presentUser } from '../presenters/user.ts'
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
    handler: ({ deps, caller, req, params: { id }, effect }) =>
      effect.answering(presentEnrolment, (commit) => enrolOtp(deps, byOf(caller, req), id, commit)),
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
    handler: async ({ deps, caller, req, params: { id }, body: { code } }) => ({
      body: { data: presentUser(await confirmOtp(deps, byOf(caller, req), id, code)) },
    }),
  }),
  route({
    method: 'delete',
    path: PATH,
    role: 'operator_admin',
    summary: 'Switch one-time codes off',
    lost: 'same',
    response: { 200: userAnswer },
    params: idParams,
    handler: async ({ deps, caller, req, params: { id } }) => ({
      body: { data: presentUser(await removeCodes(deps, byOf(caller, req), id)) },
    }),
  }),
]

const presentEnrolment = ({ userId, secret, url }: OtpEnrolment) => ({
  status: 201 as const,
  body: { data: { user_id: userId, secret, otpauth_url: url } },
})
