/** Routes with which users set up one-time codes and administrators remove them. */
import { adminActionResponse } from '../../contracts/admin-action.ts'
import {
  confirmOtpBody,
  enrolOtpBody,
  otpConfirmedResponse,
  otpResponse,
  userResponse,
} from '../../contracts/user.ts'
import { ipOf } from '../../http/address.ts'
import { confirmOtp, enrolOtp } from '../../use-cases/access/user-otp.ts'
import { presentUser } from '../presenters/user.ts'
import { type Route, route } from '../routing/route.ts'
import { answerAction } from './requested-action.ts'

export const ownOtpRoutes: readonly Route[] = [
  route({
    name: 'startOtpEnrolment',
    at: 'POST /users/otp',
    role: 'signed_in',
    summary: 'Create a secret for one-time codes for your account',
    retryGuidance: 'replaced',
    errors: enrolOtp.refuses,
    response: { 201: otpResponse },
    repeatable: true,
    body: enrolOtpBody,
    handler: async ({ deps, caller, by, req, body: { current_password: password, otp_attempt: code } }) => {
      const account = { userId: caller.userId ?? '', by, ip: ipOf(req) }
      const { secret, url } = await enrolOtp(deps, account, { password, code })
      return { status: 201 as const, body: { data: { secret, otpauth_url: url } } }
    },
  }),
  route({
    name: 'confirmOtpEnrolment',
    at: 'POST /users/otp/confirm',
    role: 'signed_in',
    summary: 'Turn on one-time codes for your account with a code from the app',
    retryGuidance: 'codes',
    response: { 200: otpConfirmedResponse },
    repeatable: true,
    body: confirmOtpBody,
    handler: async ({ deps, caller, by, body: { code } }) => {
      const user = await confirmOtp(deps, by, caller.userId ?? '', code)
      return { body: { data: { otp_required_for_login: user.otpRequiredForLogin } } }
    },
  }),
]

export const userOtpRoutes: readonly Route[] = [
  route({
    name: 'disableOtp',
    at: 'DELETE /users/:id/otp',
    role: 'administer_deployment',
    summary: 'Turn off one-time codes for a user',
    retryGuidance: 'same',
    response: { 200: userResponse, 202: adminActionResponse },
    handler: ({ params: { id: userId }, ...asked }) =>
      answerAction(asked, { kind: 'remove_codes', userId }, (user) => ({
        body: { data: presentUser(user) },
      })),
  }),
]
