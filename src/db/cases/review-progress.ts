/**
 * Queries for the party that a case waits on, and for its review state. They express the rules of
 * src/domain/decision/review-progress.ts as conditions.
 */
import { and, type SQL, sql } from 'drizzle-orm'
import { identifications, kybApplications } from '../../../drizzle/schema.ts'
import type { Party, ReviewState } from '../../domain/decision/review-progress.ts'
import { undeliveredIn } from './undelivered.ts'

export interface ReviewProgressFilter {
  readonly waitingOn?: Party | undefined
  readonly review?: ReviewState | undefined
}

/** The condition of each review state. Each contains the leading column of an index. */
const KYB_REVIEW_STATES: Record<ReviewState, SQL> = {
  not_submitted: sql`status = 'open' AND waiting_on = 'client' AND review_outcome IS NULL`,
  in_review: sql`status = 'open' AND waiting_on = 'operator'`,
  revision_requested: sql`status = 'open' AND waiting_on = 'client' AND review_outcome = 'revision_requested'`,
  approved: sql`review_outcome = 'approved'`,
  rejected: sql`review_outcome = 'rejected'`,
}

const kybWaitsOn = (party: Party): SQL => sql`status = 'open' AND waiting_on = ${party}`

/** Returns the condition for applications, or undefined if there is no filter. */
export const kybProgressCondition = ({ waitingOn, review }: ReviewProgressFilter): SQL | undefined =>
  and(waitingOn && kybWaitsOn(waitingOn), review && KYB_REVIEW_STATES[review])

/** Returns the condition for identifications in the vaults, whose next party depends on the email to the applicant. */
export function identificationWaitsOn(party: Party, inVaults: SQL): SQL {
  if (party === 'applicant') return sql`waiting_on = 'applicant' AND id NOT IN (${undeliveredIn(inVaults)})`
  if (party !== 'client') return sql`waiting_on = ${party}`
  return sql`(waiting_on = 'client' OR waiting_on = 'applicant' AND id IN (${undeliveredIn(inVaults)}))`
}

const WITH_APPLICANT = sql`verification = 'initiated' AND waiting_on IN ('client', 'applicant')`

const ENDED: Record<'approved' | 'rejected', SQL> = {
  approved: sql`${identifications.status} IN ('approved', 'blocked')`,
  rejected: sql`${identifications.status} = 'rejected'`,
}

const OWN_REVIEW_STATES: Record<Exclude<ReviewState, 'approved' | 'rejected'>, SQL> = {
  not_submitted: sql`${WITH_APPLICANT} AND review IS NULL`,
  in_review: sql`verification IN ('initiated', 'attention') AND waiting_on IN ('operator', 'provider')`,
  revision_requested: sql`${WITH_APPLICANT} AND review IS NOT NULL`,
}

const DECIDED_BY_KYB = sql`awaits_kyb AND verification = 'initiated'`

/**
 * Selects identifications in two parts, because some have a state that their application determines. The application is
 * in another table with its own index.
 */
const matchOwnOrKyb = (vaultId: string, own: SQL, ofKyb: SQL): SQL => sql`${identifications.id} IN (
  SELECT id FROM ${identifications} WHERE vault_id = ${vaultId} AND NOT (${DECIDED_BY_KYB}) AND ${own}
  UNION ALL
  SELECT id FROM ${identifications} WHERE vault_id = ${vaultId} AND ${DECIDED_BY_KYB} AND id IN (
    SELECT identification_id FROM ${kybApplications} WHERE vault_id = ${vaultId} AND ${ofKyb}))`

/** Returns the condition for identifications, or undefined if there is no filter. */
export const identificationProgressCondition = (
  vaultId: string,
  { waitingOn, review }: ReviewProgressFilter,
): SQL | undefined =>
  and(
    waitingOn &&
      matchOwnOrKyb(
        vaultId,
        sql`${identificationWaitsOn(waitingOn, sql`vault_id = ${vaultId}`)} AND waiting_on <> 'nobody'`,
        kybWaitsOn(waitingOn),
      ),
    review &&
      (review === 'approved' || review === 'rejected'
        ? ENDED[review]
        : matchOwnOrKyb(vaultId, OWN_REVIEW_STATES[review], KYB_REVIEW_STATES[review])),
  )
