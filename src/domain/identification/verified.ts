/**
 * Rules for the data that clients read about an approved verification: the person, the verifier, the check and the
 * time.
 */

import { timeOf } from '../base/unix-time.ts'
import { filesIn, formOf, type PersonFile } from './person-form.ts'
import type { Profile } from './profile.ts'
import type { Identification, Verifier } from './record.ts'
import type { ProviderName, VerificationCheck } from './verification-check.ts'

export interface Verified {
  readonly profile: Profile
  readonly by: Verifier
  readonly check: { readonly id: string; readonly provider: ProviderName } | null
  readonly at: Date
  readonly photos: readonly { readonly attribute: PersonFile; readonly id: string }[]
}

/**
 * Returns the verified data, or null if the verification is not approved or the data has been erased. `checks` must be
 * sorted, oldest first.
 */
export function verifiedOf(
  identification: Pick<Identification, 'state' | 'erasedAt' | 'review' | 'profile' | 'form' | 'createdAt'>,
  checks: readonly VerificationCheck[],
): Verified | null {
  const { state, erasedAt, review, createdAt } = identification
  if (state.verification !== 'approved' || erasedAt) return null
  const profile = review?.verified ?? identification.profile
  const photos = filesIn(formOf(identification)).flatMap((attribute) => {
    const id = profile[attribute]
    return id === undefined ? [] : [{ attribute, id }]
  })
  // An import has no review.
  if (!review) return { profile, by: 'client', check: null, at: createdAt, photos }
  const { by = 'operator', decidedAt } = review
  const approving = checks.findLast(({ result }) => result?.outcome === 'approved')
  const check = by === 'provider' && approving ? approving : null
  return { profile, by, check, at: timeOf(decidedAt), photos }
}
