/** Changing the own password: for the API, and for the console. */
import type { Request } from 'express'
import type { z } from 'zod'
import type { changePasswordBody } from '../../contracts/session.ts'
import { replacePassword, type User } from '../../db/access/user.ts'
import { transaction } from '../../db/connection/database.ts'
import type { By } from '../../domain/access/audit.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { addressKey } from '../../http/address.ts'
import type { RouteDeps } from '../../http/deps.ts'
import { hashPassword, verifyPassword } from './password-hash.ts'
import { recordUser, requireUser } from './users.ts'

const WRONG = { code: 'invalid', field: 'current_password', message: 'This is not the password.' } as const
const SAME = { code: 'invalid', field: 'new_password', message: 'Choose another one.' } as const

/** All tokens and sessions of before end. Throws LimitReached after too many wrong tries. */
export async function changePassword(
  { db, signIns }: Pick<RouteDeps, 'db' | 'signIns'>,
  { by, userId }: { readonly by: By; readonly userId: string },
  body: z.output<typeof changePasswordBody>,
  req: Request,
): Promise<User> {
  const user = await requireUser(db, userId)
  const attempt = await signIns.begin(user.id, addressKey(db.encryption, req))
  if (!(await verifyPassword(user.passwordHash, body.current_password))) throw new RequestRefused(WRONG)
  await attempt.succeed()
  if (body.new_password === body.current_password) throw new RequestRefused(SAME)
  const hash = await hashPassword(body.new_password)
  return transaction(db, async (tx) => {
    // Of two changes at the same time one finds that the password is not the one it knew.
    if (!(await replacePassword(tx, user.id, { hash, oneTime: false }, user.passwordHash)))
      throw new RequestRefused(WRONG)
    await recordUser(tx, by, 'password_changed', user.id)
    return requireUser(tx, user.id)
  })
}
