/** Tries of an application's password: counted by address and application, so that guessing takes too long. */
import type { Request } from 'express'
import { isKybPassword } from '../../db/cases/kyb-password.ts'
import { addressKey } from '../../http/address.ts'
import type { RouteDeps } from '../../http/deps.ts'

/** Throws LimitReached after too many wrong ones. */
export async function tryKybPassword(
  { db, kybPasswordTries }: RouteDeps,
  vaultId: string,
  id: string,
  password: string,
  req: Request,
): Promise<boolean> {
  const key = `${id}:${addressKey(db.encryption, req)}`
  // Counted before the check, so that tries at the same time cannot outrun the limit.
  await kybPasswordTries.consume(key)
  const isRight = await isKybPassword(db, vaultId, id, password)
  if (isRight) await kybPasswordTries.giveBack(key)
  return isRight
}
