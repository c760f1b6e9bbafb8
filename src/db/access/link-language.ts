/** Queries for the language in which the reader of a link last read the pages. Emails and pages use it. */
import { type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { beneficiaries, verificationLinks } from '../../../drizzle/schema.ts'
import type { Language } from '../../domain/base/language.ts'
import type { Database } from '../connection/database.ts'

/** Matches the beneficiary whose current check this is. A row keeps the ID of its first check as its own. */
export const hasCheck = (checkId: string | AnyPgColumn): SQL => {
  const { checkId: later, id: first } = beneficiaries
  return sql`(${later} = ${checkId}::uuid OR (${later} IS NULL AND ${first} = ${checkId}::uuid))`
}

const isLinkOf = (identificationId: string | AnyPgColumn) =>
  sql`${verificationLinks.identificationId} = ${identificationId}::uuid`

/** Returns the language of the link to an identification, or null, as an expression. */
export const languageOfLink = (id: string | AnyPgColumn): SQL<Language | null> => sql`coalesce(
  (SELECT ${verificationLinks.language} FROM ${verificationLinks} WHERE ${isLinkOf(id)}),
  (SELECT ${beneficiaries.language} FROM ${beneficiaries} WHERE ${hasCheck(id)}))`

export async function findLanguage(db: Database, identificationId: string): Promise<Language | null> {
  const [row] = await db.orm.execute<{ language: Language | null }>(
    sql`SELECT ${languageOfLink(identificationId)} AS language`,
  )
  return row?.language ?? null
}

export async function saveLanguage(db: Database, identificationId: string, language: Language) {
  await db.orm.update(verificationLinks).set({ language }).where(isLinkOf(identificationId))
  await db.orm.update(beneficiaries).set({ language }).where(hasCheck(identificationId))
}
