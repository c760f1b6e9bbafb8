/** Use cases for one-time codes by email, which open the form of a company instead of its password. */
import { requestFormCode, useFormCode } from '../../db/email/form-code.ts'
import type { Language } from '../../domain/base/language.ts'
import { readCode } from '../../domain/email/notice.ts'
import type { LinkedVerification } from '../../domain/identification/link.ts'
import type { Deps, WithDb } from '../base/deps.ts'

/** Sends a new code, if the client sent an address. Throws LimitReached after too many codes for one link. */
export async function sendFormCode(
  { db, notifier, formCodes }: Pick<Deps, 'db' | 'notifier' | 'formCodes'>,
  { id }: Pick<LinkedVerification, 'id'>,
  link: string,
  language: Language,
): Promise<void> {
  await formCodes.consume(db.encryption.hash(link, 'form_code_link').toString('base64url'))
  if (await requestFormCode(db, id, language)) notifier.notify([id])
}

/** Returns true once for the current code. */
export const tryFormCode = ({ db }: WithDb, { id }: Pick<LinkedVerification, 'id'>, code: string) =>
  useFormCode(db, id, readCode(code))
