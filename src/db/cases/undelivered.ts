/** Queries for cases whose newest email to the applicant was not delivered. */
import { type SQL, sql } from 'drizzle-orm'
import { UNDELIVERED } from '../../../drizzle/schema.ts'

/**
 * Selects from the emails that match the condition those that no later email or link of the client replaces. The times
 * of the comparison are after the commit of the email and its link.
 */
const selectUndelivered = (column: SQL, where: SQL): SQL => sql`
  SELECT ${column} FROM emails WHERE ${where} AND ${UNDELIVERED}
    AND NOT EXISTS (SELECT FROM emails AS later
      WHERE later.identification_id = emails.identification_id AND later.beneficiary_id IS NULL AND later.id > emails.id)
    AND NOT EXISTS (SELECT FROM verification_links AS link
      WHERE link.identification_id = emails.identification_id
        AND link.created_at > coalesce(emails.attempted_at, emails.workflow_started_at))`

/** Selects the identifications in the scope with an undelivered email. */
export const undeliveredIn = (inVaults: SQL): SQL => selectUndelivered(sql`identification_id`, inVaults)

/** Selects when the identification's newest email failed, or null. */
export const undeliveredAt = (identificationId: SQL): SQL<number | null> =>
  sql`(${selectUndelivered(
    sql`floor(extract(epoch FROM coalesce(emails.attempted_at, emails.created_at)))::float8`,
    sql`identification_id = ${identificationId}`,
  )})`
