/** Signing in and changing the password: clients and operators have paths and tokens of their own. */
import type { Response } from 'express'
import { type Attempts, createAttempts, TooManyAttempts } from '../access/attempts.ts'
import { otpStepOf } from '../access/otp.ts'
import { hashPassword, verifyPassword } from '../access/password.ts'
import type { Audience } from '../access/tokens.ts'
import { dataOf, unauthorized } from '../contracts/answer.ts'
import { changePassword, clientSession, operatorSession, signIn } from '../contracts/session.ts'
import type { Database } from '../db/database.ts'
import { emailHash, findUser, findUserByEmail, replacePassword, type User } from '../db/user.ts'
import { readOtpSecret, useOtpStep } from '../db/user-otp.ts'
import { RequestRefused } from '../domain/errors.ts'
import { addressKey } from './address.ts'
import type { AppDeps } from './deps.ts'
import { type Route, route } from './route.ts'

export const sessionRoutes = (deps: AppDeps, audience: Audience): Route[] => {
  const { db } = deps
  const attempts = createAttempts(deps.db)
  const sessionAnswer = dataOf(audience === 'client' ? clientSession : operatorSession)
  return [
    route({
      method: 'post',
      path: '/sign_in',
      role: 'public',
      summary: 'Sign in: gives an access token for an hour',
      errors: ['too_many_attempts'],
      response: { 200: sessionAnswer, 401: unauthorized },
      body: signIn,
      handler: async ({ body, req, res }) => {
        const account = emailHash(db, body.email).toString('base64url')
        const attempt = await begin(attempts, account, addressKey(db.encryption, req), res)
        const user = await findUserByEmail(db, body.email)
        const entitled = user && (audience === 'client' ? user.vaults : user.operatorRoles).length > 0
        // Always verified: an answer takes the same work whether there is such a user or not.
        const matches = await verifyPassword(entitled ? user.passwordHash : null, body.password)
        if (!user || !matches || isExpired(user)) return refused('The e-mail or the password is wrong.')
        if (user.otpRequiredForLogin) {
          const code = body.otp_attempt
          // Only who knows the password learns that a code is needed.
          if (code === undefined) {
            await attempt.forgive()
            return needsCode(res, 'required', 'A one-time code is needed: send otp_attempt.')
          }
          await attempt.tryCode().catch((error: unknown) => refuseAttempt(error, res))
          if (!(await spendCode(db, user.id, code)))
            return needsCode(
              res,
              'wrong',
              'The one-time code is wrong or was used before: send the next one.',
            )
        }
        await attempt.succeed()
        return session(deps, audience, user)
      },
    }),
    route({
      method: 'post',
      path: '/users/change_password',
      role: 'signed_in',
      summary: 'Change the own password: gives a new access token',
      errors: ['too_many_attempts'],
      response: { 200: sessionAnswer },
      repeatable: true,
      body: changePassword,
      handler: async ({ caller, body, req, res }) => {
        const user = await findUser(db, caller.userId ?? '')
        if (!user) throw new RequestRefused({ code: 'not_found' })
        const attempt = await begin(attempts, user.id, addressKey(db.encryption, req), res)
        const wrong = {
          code: 'invalid',
          field: 'current_password',
          message: 'This is not the password.',
        } as const
        if (!(await verifyPassword(user.passwordHash, body.current_password))) throw new RequestRefused(wrong)
        await attempt.succeed()
        if (body.new_password === body.current_password)
          throw new RequestRefused({ code: 'invalid', field: 'new_password', message: 'Choose another one.' })
        const hash = await hashPassword(body.new_password)
        // Of two changes at the same time one finds that the password is not the one it knew.
        if (!(await replacePassword(db, user.id, { hash, oneTime: false }, user.passwordHash)))
          throw new RequestRefused(wrong)
        const changed = await findUser(db, user.id)
        if (!changed) throw new RequestRefused({ code: 'not_found' })
        return session(deps, audience, changed)
      },
    }),
  ]
}

const begin = (attempts: Attempts, account: string, address: string, res: Response) =>
  attempts.begin(account, address).catch((error: unknown) => refuseAttempt(error, res))

function refuseAttempt(error: unknown, res: Response): never {
  if (!(error instanceof TooManyAttempts)) throw error
  res.setHeader('Retry-After', Math.ceil(error.waitMs / 1000))
  throw new RequestRefused({ code: 'too_many_attempts' })
}

const refused = (error: string) => ({ status: 401, body: { error } }) as const

/** The header is for programs, which do not read the words. */
function needsCode(res: Response, state: 'required' | 'wrong', error: string) {
  res.setHeader('Gatehouse-Otp', state)
  return refused(error)
}

async function spendCode(db: Database, userId: string, code: string): Promise<boolean> {
  const current = await readOtpSecret(db, 'current', userId)
  const step = current === null ? null : otpStepOf(current, code)
  return step !== null && useOtpStep(db, userId, step)
}

const isExpired = ({ passwordExpiresAt }: User): boolean =>
  passwordExpiresAt !== null && passwordExpiresAt.getTime() < Date.now()

async function session({ tokens }: AppDeps, audience: Audience, user: User) {
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
        ...(audience === 'client' ? { vaults } : { operator_roles: operatorRoles }),
      },
    },
  }
}
