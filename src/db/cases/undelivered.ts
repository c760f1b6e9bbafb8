/** Queries for cases whose newest email to the applicant was not delivered. */
import { type SQL, sql } from 'drizzle-orm'
import { UNDELIVERED } from '../../../drizzle/schema.ts'

/** Omits emails that a later email or link of the client replaces. Compares times after the commits. */
const selectUndelivered = (column: SQL, where: SQL): SQL => sql`
  SELECT ${column} FROM emails WHERE ${where} AND ${UNDELIVERED}
    AND NOT EXISTS (SELECT FROM emails AS later
      WHERE later.identification_id = emails.identification_id AND later.beneficiary_id IS NULL AND later.id > emails.id)
    AND NOT EXISTS (SELECT FROM verification_links AS link
      WHERE link.identification_id = emails.identification_id
        AND link.created_at > coalesce(emails.attempted_at, emails.workflow_started_at))`

export const undeliveredIn = (inVaults: SQL): SQL => selectUndelivered(sql`identification_id`, inVaults)

export const undeliveredAt = (identificationId: SQL): SQL<number | null> =>
  sql`(${selectUndelivered(
    sql`floor(extract(epoch FROM coalesce(emails.attempted_at, emails.created_at)))::float8`,
    sql`identification_id = ${identificationId}`,
  )})`
