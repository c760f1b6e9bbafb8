/** Routes for signing in and changing one's own password. Clients and operators have their own paths and tokens. */
import { unauthorized } from '../../contracts/response.ts'
import { changePasswordBody, sessionResponse, signInBody } from '../../contracts/session.ts'
import { namesOfGrants } from '../../domain/access/grant.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import { ipOf } from '../../http/address.ts'
import {
  changePasswordForToken,
  signInForToken,
  type TokenSession,
} from '../../use-cases/access/token-session.ts'
import { recordedGrants } from '../../use-cases/access/users.ts'
import type { Audience } from '../../use-cases/credentials/tokens.ts'
import { type Route, route } from '../routing/route.ts'

const presentSession = (audience: Audience, { token, expiresAt, user }: TokenSession) => ({
  access_token: token,
  expires_at: expiresAt,
  user: {
    id: user.id,
    email: user.email,
    ...(user.passwordExpiresAt && { password_change_required: true as const }),
  },
  vaults: user.vaults,
  ...(audience === 'operator' && {
    operator_roles: namesOfGrants(user.effectiveGrants),
    operator_grants: recordedGrants(user.effectiveGrants),
  }),
})

export const sessionRoutes = (audience: Audience): readonly Route[] => {
  return [
    route({
      name: 'signIn',
      at: 'POST /sign_in',
      role: 'public',
      summary: 'Sign in and receive an access token for one hour',
      retryGuidance: 'nothing',
      errors: signInForToken.refuses[audience],
      response: { 200: sessionResponse(audience), 401: unauthorized },
      body: signInBody,
      handler: async ({ deps, body, req, res }) => {
        const { email, password, otp_attempt: code } = body
        const session = await signInForToken(deps, audience, { email, password, code }, ipOf(req))
        if (!('refused' in session)) return { body: { data: presentSession(audience, session) } }
        if (session.refused === 'passwords_off') throw new RequestRefused({ code: 'password_sign_in_off' })
        const { state, error } = REFUSALS[session.refused]
        // The header lets programs react to a missing or wrong code without reading the message.
        if (state) res.setHeader('Gatehouse-Otp', state)
        return { status: 401 as const, body: { error } }
      },
    }),
    route({
      name: 'changePassword',
      at: 'POST /users/change_password',
      role: 'signed_in',
      summary: 'Change your password and receive a new access token',
      retryGuidance: 'password',
      errors: changePasswordForToken.refuses,
      response: { 200: sessionResponse(audience) },
      repeatable: true,
      body: changePasswordBody,
      handler: async ({ deps, caller, body, by, req }) => {
        const account = { userId: caller.userId ?? '', by, ip: ipOf(req) }
        const change = { current: body.current_password, next: body.new_password }
        const session = await changePasswordForToken(deps, audience, account, change)
        return { body: { data: presentSession(audience, session) } }
      },
    }),
  ]
}

const REFUSALS = {
  wrong: { state: null, error: 'The email or the password is wrong.' },
  code_needed: { state: 'required', error: 'A one-time code is required. Send it as otp_attempt.' },
  code_wrong: { state: 'wrong', error: 'The one-time code is wrong or already used. Send the next code.' },
} as const
