/** Signing in and changing the password: clients and operators have paths and tokens of their own. */

import { unauthorized } from '../../contracts/answer.ts'
import { changePasswordBody, sessionAnswer, signInBody } from '../../contracts/session.ts'
import type { User } from '../../db/access/user.ts'
import { byOf } from '../../http/address.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { changePassword } from '../../use-cases/access/password.ts'
import { signIn } from '../../use-cases/access/sign-in.ts'
import type { Audience } from '../../use-cases/access/tokens.ts'
import { type Route, route } from '../route.ts'

export const sessionRoutes = (audience: Audience): readonly Route[] => {
  return [
    route({
      method: 'post',
      path: '/sign_in',
      role: 'public',
      summary: 'Sign in: gives an access token for an hour',
      lost: 'nothing',
      errors: ['too_many_attempts'],
      response: { 200: sessionAnswer(audience), 401: unauthorized },
      body: signInBody,
      handler: async ({ deps, body, req, res }) => {
        const signedIn = await signIn(deps, audience, body, req)
        if ('user' in signedIn) return session(deps, audience, signedIn.user)
        const { state, error } = REFUSALS[signedIn.refused]
        // The header is for programs, which do not read the words.
        if (state) res.setHeader('Gatehouse-Otp', state)
        return { status: 401 as const, body: { error } }
      },
    }),
    route({
      method: 'post',
      path: '/users/change_password',
      role: 'signed_in',
      summary: 'Change the own password: gives a new access token',
      lost: 'password',
      errors: ['too_many_attempts'],
      response: { 200: sessionAnswer(audience) },
      repeatable: true,
      body: changePasswordBody,
      handler: async ({ deps, caller, body, req }) => {
        const by = byOf(caller, req)
        const changed = await changePassword(deps, { by, userId: caller.userId ?? '' }, body, req)
        return session(deps, audience, changed)
      },
    }),
  ]
}

const REFUSALS = {
  wrong: { state: null, error: 'The e-mail or the password is wrong.' },
  code_needed: { state: 'required', error: 'A one-time code is needed: send otp_attempt.' },
  code_wrong: { state: 'wrong', error: 'The one-time code is wrong or was used before: send the next one.' },
} as const

async function session({ tokens }: RouteDeps, audience: Audience, user: User) {
  const { vaults, operatorRoles } = user
  const claims = { userId: user.id, version: user.tokenVersion, vaults, operatorRoles }
  const { token, expiresAt } = await tokens.sign(audience, claims)
  return {
    body: {
      data: {
        access_token: token,
        expires_at: expiresAt,
        user: {
          id: user.id,
          email: user.email,
          ...(user.passwordExpiresAt && { password_change_required: true as const }),
        },
        vaults,
        ...(audience === 'operator' && { operator_roles: operatorRoles }),
      },
    },
  }
}
