/** Use cases for signing in to the API and the console with an email, a password and a one-time code. */

import { emailHash, findUserForSignIn } from '../../db/access/user.ts'
import { readOtpSecret, useOtpStep } from '../../db/access/user-otp.ts'
import { countAudit, recordAudit } from '../../db/audit/audit.ts'
import type { Database } from '../../db/connection/database.ts'
import { operatorActor } from '../../domain/access/access.ts'
import { seatsOf } from '../../domain/access/seat.ts'
import { hasAccessEnded, type User } from '../../domain/access/user.ts'
import type { Deps } from '../base/deps.ts'
import { shownAddress, sourceKeys } from '../credentials/address.ts'
import { otpStepOf } from '../credentials/otp.ts'
import { verifyPassword } from '../credentials/password-hash.ts'
import type { Audience } from '../credentials/tokens.ts'

export interface Credentials {
  readonly email: string
  readonly password: string
  readonly code?: string | undefined
  /** The vault whose page leads to the sign-in. Its members sign in only there. */
  readonly vaultId?: string | null
}

/** Only callers with the correct password receive `code_needed` or `code_wrong`; others receive `wrong`. */
export type SignInRefusal = 'wrong' | 'code_needed' | 'code_wrong' | 'passwords_off'

type SignedIn = { readonly user: User } | { readonly refused: SignInRefusal }

/** The APIs, and the console, which both operators and vaults' own users with a seat can use. */
type Entrance = Audience | 'console'

const isOperator = (user: User | null, entrance: Entrance): boolean =>
  entrance !== 'client' && user !== null && user.effectiveGrants.length > 0

const isClient = (user: User | null, entrance: Entrance): boolean =>
  user !== null &&
  (entrance === 'client' ? user.vaults : entrance === 'console' ? seatsOf(user.vaults) : []).length > 0

/** Returns the user or a refusal. Throws LimitReached after too many failed attempts. */
export async function signIn(
  { db, signIns, config }: Pick<Deps, 'db' | 'signIns' | 'config'>,
  entrance: Entrance,
  { email, password, code, vaultId = null }: Credentials,
  ip: string,
): Promise<SignedIn> {
  const found = await findUserForSignIn(db, email, vaultId)
  // A member and another user with the same email have separate counts, so that neither can raise the other’s limit.
  const account = emailHash(db, email, found?.memberOf).toString('base64url')
  const attempt = await signIns.begin(account, sourceKeys(db.encryption, ip))
  const isEntitled = found && (isOperator(found, entrance) || isClient(found, entrance))
  // Always verifies a hash, so that the response time does not reveal whether the user exists.
  const matches = await verifyPassword(isEntitled ? found.passwordHash : null, password)
  const failed = <R extends SignInRefusal>(refused: R) => countFailed(db, found, ip).then(() => ({ refused }))
  const isOff = entrance !== 'client' && !acceptsPassword(config, found)
  // Clients have passwords, even if operators have none. The refusal does not reveal who is a client.
  if (isOff && (isOperator(found, entrance) || !isClient(found, entrance)))
    return { refused: 'passwords_off' }
  if (!found || !matches || isExpired(found)) return failed(isOff ? 'passwords_off' : 'wrong')
  if (found.otpRequiredForLogin) {
    if (code === undefined) {
      await attempt.forgive()
      return { refused: 'code_needed' }
    }
    await attempt.tryCode()
    if (!(await spendCode(db, found.id, code))) return failed('code_wrong' as const)
  }
  await attempt.succeed()
  if (isOperator(found, entrance)) await recordSignIn(db, found.id, ip, 'password')
  const { passwordHash: _, ...user } = found
  return { user }
}

/** Records in the audit trail that an operator signed in. */
export const recordSignIn = (
  db: Database,
  userId: string,
  ip: string,
  method: 'password' | 'single_sign_on',
): Promise<void> =>
  recordAudit(
    db,
    { actor: operatorActor(userId), address: shownAddress(ip) },
    { action: 'operator_signed_in', subject: 'user', subjectId: userId, changes: { method: { to: method } } },
  )

/** Counts a failed attempt in the audit trail. Attempts to sign in to unknown accounts share one count. */
const countFailed = (db: Database, user: User | null, ip: string): Promise<void> =>
  countAudit(
    db,
    { actor: 'nobody', address: shownAddress(ip) },
    { action: 'sign_in_failed', subject: 'user', subjectId: user?.id ?? null },
  )

/** Marks a code as used. Returns false if the code is wrong or already used. */
export async function spendCode(db: Database, userId: string, code: string): Promise<boolean> {
  const current = await readOtpSecret(db, 'current', userId)
  const step = current === null ? null : otpStepOf(current.secret, code, current.now)
  return step !== null && useOtpStep(db, userId, step)
}

/**
 * Returns whether the user can sign in with a password. With `OPERATOR_PASSWORDS=off`, only `break-glass` operators
 * can.
 */
export const acceptsPassword = (
  { OPERATOR_PASSWORDS }: Deps['config'],
  user: { readonly accessEndsAt: Date | null } | null,
): boolean => OPERATOR_PASSWORDS === 'on' || (user?.accessEndsAt ?? null) !== null

const isExpired = (user: User): boolean =>
  hasAccessEnded(user) || (user.passwordExpiresAt !== null && user.passwordExpiresAt.getTime() < Date.now())
