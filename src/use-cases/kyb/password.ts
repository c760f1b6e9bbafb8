/** Limits attempts at an application's password per address and application. */

import { isKybPassword } from '../../db/cases/kyb-password.ts'
import type { Refusals } from '../../domain/base/errors.ts'
import type { Deps } from '../base/deps.ts'
import { addressKey } from '../credentials/address.ts'

/** Returns whether the password is correct. Throws LimitReached after too many failed attempts. */
export async function tryKybPassword(
  { db, kybPasswordTries }: Pick<Deps, 'db' | 'kybPasswordTries'>,
  vaultId: string,
  id: string,
  password: string,
  ip: string,
): Promise<boolean> {
  const key = `${id}:${addressKey(db.encryption, ip)}`
  // Counts before the check, so that simultaneous attempts cannot exceed the limit.
  await kybPasswordTries.consume(key)
  const isRight = await isKybPassword(db, vaultId, id, password)
  if (isRight) await kybPasswordTries.refund(key)
  return isRight
}

tryKybPassword.refuses = ['too_many_attempts'] as const satisfies Refusals
