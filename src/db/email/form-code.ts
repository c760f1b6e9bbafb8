/**
 * Queries for one-time codes that open the form of a company. The code is derived from the email that contains it, so
 * that it is stored nowhere, and that each attempt to send the email has the same code.
 */
import { timingSafeEqual } from 'node:crypto'
import { and, eq, gt, isNotNull, lt, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { identifications, vaults, verificationLinks } from '../../../drizzle/schema.ts'
import type { Language } from '../../domain/base/language.ts'
import { CODE_ATTEMPTS, CODE_DIGITS, CODE_MINUTES } from '../../domain/email/notice.ts'
import { type Database, transaction } from '../connection/database.ts'
import { sealedFor } from '../connection/sealed.ts'
import { emailInsert } from './email.ts'
import { isLinkOf } from './notice.ts'

export const formCode = ({ encryption }: Database, emailId: string): string =>
  String(encryption.hash(emailId, 'form_code').readUIntBE(0, 6) % 10 ** CODE_DIGITS).padStart(
    CODE_DIGITS,
    '0',
  )

const IS_VALID = gt(verificationLinks.codeExpiresAt, sql`clock_timestamp()`)

/**
 * Writes an email with a new code to the address that the client sent, in the language of the page. This invalidates the
 * earlier code. Returns false if there is no address or the vault sends no emails.
 */
export async function requestFormCode(db: Database, identificationId: string, language: Language) {
  return transaction(db, async (tx) => {
    const [row] = await tx.orm
      .select({ email: verificationLinks.email, vaultId: vaults.id })
      .from(verificationLinks)
      .innerJoin(identifications, eq(identifications.id, verificationLinks.identificationId))
      .innerJoin(vaults, and(eq(vaults.id, identifications.vaultId), vaults.emails))
      .where(and(isLinkOf(identificationId), isNotNull(verificationLinks.email)))
      .for('update', { of: verificationLinks })
    if (!row?.email) return false
    const id = newId()
    const address = tx.encryption
      .unseal(row.email, sealedFor('verification_links.email', identificationId))
      .toString()
    await tx.orm
      .update(verificationLinks)
      .set({
        language,
        codeId: id,
        codeExpiresAt: sql`clock_timestamp() + make_interval(mins => ${CODE_MINUTES}::int)`,
        codeAttempts: 0,
      })
      .where(isLinkOf(identificationId))
    await emailInsert(tx, { id, vaultId: row.vaultId, identificationId, notice: 'code', address })
    return true
  })
}

/** Returns false if the code of the email was used, was replaced or has expired. */
export async function isCurrentCode(
  db: Database,
  { id, identificationId }: { readonly id: string; readonly identificationId: string },
): Promise<boolean> {
  const rows = await db.orm
    .select({ codeId: verificationLinks.codeId })
    .from(verificationLinks)
    .where(and(isLinkOf(identificationId), eq(verificationLinks.codeId, id), IS_VALID))
  return rows.length > 0
}

/** Counts an attempt. Returns true and invalidates the code if it is correct. */
export async function useFormCode(db: Database, identificationId: string, code: string): Promise<boolean> {
  const { codeId, codeAttempts } = verificationLinks
  // Counts before the check, so that simultaneous attempts cannot exceed the limit.
  const [row] = await db.orm
    .update(verificationLinks)
    .set({ codeAttempts: sql`${codeAttempts} + 1` })
    .where(and(isLinkOf(identificationId), isNotNull(codeId), IS_VALID, lt(codeAttempts, CODE_ATTEMPTS)))
    .returning({ codeId })
  if (!row?.codeId) return false
  const [given, expected] = [Buffer.from(code), Buffer.from(formCode(db, row.codeId))]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
  const used = await db.orm
    .update(verificationLinks)
    .set({ codeId: null })
    .where(and(isLinkOf(identificationId), eq(codeId, row.codeId)))
    .returning({ id: verificationLinks.identificationId })
  return used.length > 0
}
