/** Tries of an application's password: counted by address and application, so that guessing takes too long. */
import { isKybPassword } from '../../db/cases/kyb-password.ts'
import { addressKey } from '../access/address.ts'
import type { Deps } from '../deps.ts'

/** Throws LimitReached after too many wrong ones. */
export async function tryKybPassword(
  { db, kybPasswordTries }: Pick<Deps, 'db' | 'kybPasswordTries'>,
  vaultId: string,
  id: string,
  password: string,
  ip: string,
): Promise<boolean> {
  const key = `${id}:${addressKey(db.encryption, ip)}`
  // Counted before the check, so that tries at the same time cannot outrun the limit.
  await kybPasswordTries.consume(key)
  const isRight = await isKybPassword(db, vaultId, id, password)
  if (isRight) await kybPasswordTries.refund(key)
  return isRight
}
