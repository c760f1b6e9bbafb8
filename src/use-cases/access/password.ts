/** Use cases for changing one's own password in the API and in the console. */
import { findUserWithPassword, replacePassword } from '../../db/access/user.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import type { By } from '../../domain/access/audit.ts'
import type { User } from '../../domain/access/user.ts'
import { RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { Deps } from '../base/deps.ts'
import { sourceKeys } from '../credentials/address.ts'
import { hashPassword, verifyPassword } from '../credentials/password-hash.ts'
import { getUser, recordUser } from './users.ts'

const WRONG = {
  code: 'invalid',
  field: 'current_password',
  message: 'The current password is wrong. Enter your current password.',
} as const
const SAME = {
  code: 'invalid',
  field: 'new_password',
  message: 'The new password is the current one. Choose another password.',
} as const

/** A signed-in user and the address of the request. */
export interface OwnAccount {
  readonly userId: string
  readonly by: By
  readonly ip: string
}

export interface PasswordChange {
  readonly current: string
  readonly next: string
}

/** Returns the user with the password hash. Throws `not_found` if the user does not exist. */
export async function requireUserWithPassword(db: Database, userId: string) {
  return requireFound(await findUserWithPassword(db, userId))
}

/**
 * Checks the password and counts the attempt. Returns the attempt, so that the caller can end it with `succeed`. Throws
 * `invalid` for a wrong password, and LimitReached after too many failed attempts.
 */
export async function checkPassword(
  { db, signIns }: Pick<Deps, 'db' | 'signIns'>,
  { id, passwordHash }: { readonly id: string; readonly passwordHash: string | null },
  ip: string,
  password: string,
) {
  const attempt = await signIns.begin(id, sourceKeys(db.encryption, ip))
  if (!(await verifyPassword(passwordHash, password))) throw new RequestRefused(WRONG)
  return attempt
}

/**
 * Changes the password and revokes all earlier tokens and sessions. Throws LimitReached after too many failed attempts,
 * and RateReached after too many changes.
 */
export async function changePassword(
  deps: Pick<Deps, 'db' | 'signIns' | 'spend'>,
  { userId, by, ip }: OwnAccount,
  { current, next }: PasswordChange,
): Promise<User> {
  const user = await requireUserWithPassword(deps.db, userId)
  const attempt = await checkPassword(deps, user, ip, current)
  await attempt.succeed()
  if (next === current) throw new RequestRefused(SAME)
  await deps.spend('settings', user.id)
  const hash = await hashPassword(next)
  return transaction(deps.db, async (tx) => {
    // Only one of two simultaneous changes succeeds, because the other one finds a different password.
    if (!(await replacePassword(tx, user.id, { hash, oneTime: false }, user.passwordHash ?? '')))
      throw new RequestRefused(WRONG)
    await recordUser(tx, by, 'password_changed', user.id)
    return getUser({ db: tx }, user.id)
  })
}
