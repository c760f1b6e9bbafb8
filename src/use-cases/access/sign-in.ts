/** Signing in by e-mail, password and, where one is needed, a one-time code: for tokens, and for the console. */
import type { Request } from 'express'
import { countAudit, recordAudit } from '../../db/access/audit.ts'
import { emailHash, findUserByEmail, type User } from '../../db/access/user.ts'
import { readOtpSecret, useOtpStep } from '../../db/access/user-otp.ts'
import type { Database } from '../../db/connection/database.ts'
import { operatorActor } from '../../domain/access/access.ts'
import { addressKey, byOf } from '../../http/address.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { otpStepOf } from './otp.ts'
import { verifyPassword } from './password-hash.ts'
import type { Audience } from './tokens.ts'

interface Credentials {
  readonly email: string
  readonly password: string
  readonly otp_attempt?: string | undefined
}

/** `code_needed` and `code_wrong` are told to who knows the password alone. */
type SignedIn = { readonly user: User } | { readonly refused: 'wrong' | 'code_needed' | 'code_wrong' }

/** Throws LimitReached after too many wrong tries. */
export async function signIn(
  { db, signIns }: Pick<RouteDeps, 'db' | 'signIns'>,
  audience: Audience,
  { email, password, otp_attempt: code }: Credentials,
  req: Request,
): Promise<SignedIn> {
  const account = emailHash(db, email).toString('base64url')
  const attempt = await signIns.begin(account, addressKey(db.encryption, req))
  const user = await findUserByEmail(db, email)
  const entitled = user && (audience === 'client' ? user.vaults : user.operatorRoles).length > 0
  // Always verified: an answer takes the same work whether there is such a user or not.
  const matches = await verifyPassword(entitled ? user.passwordHash : null, password)
  const failed = <R>(refused: R) => countFailed(db, user, req).then(() => ({ refused }))
  if (!user || !matches || isExpired(user)) return failed('wrong' as const)
  if (user.otpRequiredForLogin) {
    if (code === undefined) {
      await attempt.forgive()
      return { refused: 'code_needed' }
    }
    await attempt.tryCode()
    if (!(await spendCode(db, user.id, code))) return failed('code_wrong' as const)
  }
  await attempt.succeed()
  if (audience === 'operator') {
    const by = byOf({ actor: operatorActor(user.id) }, req)
    await recordAudit(db, by, { action: 'operator_signed_in', subject: 'user', subjectId: user.id })
  }
  return { user }
}

/** What no account is known for is counted together. */
const countFailed = (db: Database, user: User | null, req: Request): Promise<void> =>
  countAudit(db, byOf({ actor: 'nobody' }, req), {
    action: 'sign_in_failed',
    subject: 'user',
    subjectId: user?.id ?? null,
  })

async function spendCode(db: Database, userId: string, code: string): Promise<boolean> {
  const current = await readOtpSecret(db, 'current', userId)
  const step = current === null ? null : otpStepOf(current.secret, code, current.now)
  return step !== null && useOtpStep(db, userId, step)
}

const isExpired = ({ passwordExpiresAt }: User): boolean =>
  passwordExpiresAt !== null && passwordExpiresAt.getTime() < Date.now()
