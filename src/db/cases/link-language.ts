/** Queries for the language in which the applicant of a link last read the pages. Emails use it. */
import { eq } from 'drizzle-orm'
import { beneficiaries, verificationLinks } from '../../../drizzle/schema.ts'
import type { Language } from '../../domain/base/language.ts'
import type { Database } from '../connection/database.ts'
import { hasCheck } from './beneficiary.ts'

/** Returns the language of the link to an identification, or null. */
export async function findLanguage(db: Database, identificationId: string): Promise<Language | null> {
  const { language } = verificationLinks
  const [link] = await db.orm
    .select({ language })
    .from(verificationLinks)
    .where(eq(verificationLinks.identificationId, identificationId))
  return link?.language ?? null
}

export async function saveLanguage(
  db: Database,
  identificationId: string,
  language: Language,
): Promise<void> {
  await db.orm
    .update(verificationLinks)
    .set({ language })
    .where(eq(verificationLinks.identificationId, identificationId))
  await db.orm.update(beneficiaries).set({ language }).where(hasCheck(identificationId))
}
