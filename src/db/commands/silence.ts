/**
 * Conditions for cases that wait on the applicant or the client, for reminders and for erasure. They require the tables
 * of identifications, applications (if there is one) and links (if there is one).
 */
import { sql } from 'drizzle-orm'

export const days = (number: number) => sql`make_interval(days => ${number}::int)`

/** Matches unfinished cases. An open application of a company waits on the client. */
export const IS_UNFINISHED = sql<boolean>`identifications.verification = 'initiated' AND
  identifications.concluded_at IS NULL AND identifications.waiting_on IN ('applicant', 'client') AND
  (kyb_applications.id IS NULL OR kyb_applications.status = 'open' AND kyb_applications.waiting_on = 'client')`

/** The last change to the case, to a beneficiary's verification, or to a link that the client requested. */
export const LAST_CHANGE = sql`greatest(identifications.updated_at, kyb_applications.updated_at,
  verification_links.created_at, (
    SELECT max(own.updated_at) FROM beneficiaries person
    JOIN identifications own ON own.id = coalesce(person.check_id, person.id)
    WHERE person.kyb_application_id = kyb_applications.id))`
