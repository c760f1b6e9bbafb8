/** Use cases for the end of a verification: the return to the client's site, and the email about the result. */
import { findAddress } from '../../db/cases/notice.ts'
import { findRedirectUrl } from '../../db/cases/verification-link.ts'
import type { Vault } from '../../domain/access/vault.ts'
import { identificationStatus } from '../../domain/identification/identification.ts'
import type { Identification } from '../../domain/identification/record.ts'
import { emailsAreOn } from '../access/vaults.ts'
import type { Deps, WithDb } from '../base/deps.ts'

/**
 * Returns the client's URL with the ID and status of the identification. Returns null if the client provided no URL.
 */
export async function getRedirectUrl(
  { db }: WithDb,
  { id, state }: Pick<Identification, 'id' | 'state'>,
): Promise<string | null> {
  const redirectUrl = await findRedirectUrl(db, id)
  if (!redirectUrl) return null
  const url = new URL(redirectUrl)
  url.searchParams.set('identification_id', id)
  url.searchParams.set('status', identificationStatus(state))
  return url.href
}

/** Returns whether the applicant receives the result by email. */
export const sendsOutcome = async (
  deps: Pick<Deps, 'config' | 'db'>,
  vault: Pick<Vault, 'emails' | 'emailOutcomes'> | null,
  identificationId: string,
): Promise<boolean> =>
  emailsAreOn(deps, vault) &&
  vault?.emailOutcomes === true &&
  (await findAddress(deps.db, identificationId)) !== null
