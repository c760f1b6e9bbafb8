/** Use cases for the applicant's return to the client's site. */
import { findRedirectUrl } from '../../db/email/verification-link.ts'
import { identificationStatus } from '../../domain/identification/identification.ts'
import type { Identification } from '../../domain/identification/record.ts'
import type { WithDb } from '../base/deps.ts'

/**
 * Returns the client's URL with the ID and status of the identification. Returns null if the client provided no URL.
 */
export async function getRedirectUrl({ db }: WithDb, { id, state }: Pick<Identification, 'id' | 'state'>) {
  const redirectUrl = await findRedirectUrl(db, id)
  if (!redirectUrl) return null
  const url = new URL(redirectUrl)
  url.searchParams.set('identification_id', id)
  url.searchParams.set('status', identificationStatus(state))
  return url.href
}
