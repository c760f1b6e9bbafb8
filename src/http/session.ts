/** Signing in: clients and operators have paths and tokens of their own. */
import { verifyPassword } from '../access/password.ts'
import type { Audience } from '../access/tokens.ts'
import { dataOf, unauthorized } from '../contracts/answer.ts'
import { clientSession, operatorSession, signIn } from '../contracts/session.ts'
import { findUserByEmail } from '../db/access.ts'
import type { AppDeps } from './deps.ts'
import { type Route, route } from './route.ts'

export const sessionRoutes = ({ db, tokens }: AppDeps, audience: Audience): Route[] => [
  route({
    summary: 'Sign in: gives an access token for an hour',
    response: { 200: dataOf(audience === 'client' ? clientSession : operatorSession), 401: unauthorized },
    method: 'post',
    path: '/sign_in',
    role: 'public',
    body: signIn,
    handler: async ({ body }) => {
      const user = await findUserByEmail(db, body.email)
      // One-time passwords cannot be checked here, so whoever needs one is not let in without.
      const entitled =
        user &&
        !user.otpRequiredForLogin &&
        (audience === 'client' ? user.vaults : user.operatorRoles).length > 0
      // Always verified, so that the time taken does not tell whether there is such a user.
      const matches = await verifyPassword(entitled ? user.passwordHash : null, body.password)
      if (!user || !matches)
        return { status: 401 as const, body: { error: 'The e-mail or the password is wrong.' } }
      const { vaults, operatorRoles } = user
      const { token, expiresAt } = await tokens.sign(audience, { userId: user.id, vaults, operatorRoles })
      return {
        body: {
          data: {
            access_token: token,
            expires_at: expiresAt,
            user: { id: user.id, email: body.email.toLowerCase() },
            ...(audience === 'client' ? { vaults } : { operator_roles: operatorRoles }),
          },
        },
      }
    },
  }),
]
