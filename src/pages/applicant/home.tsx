/** The way back to where the applicant came from. */

import { findRedirectUrl } from '../../db/cases/verification-link.ts'
import type { Database } from '../../db/connection/database.ts'
import { identificationStatus } from '../../domain/identification/identification.ts'
import type { Identification } from '../../domain/identification/record.ts'
import type { Frame } from '../components/layout.tsx'

/** With the identification's id and its status, and nothing else; null where nobody said where to. */
export async function addressHome(
  db: Database,
  { id, state }: Pick<Identification, 'id' | 'state'>,
): Promise<string | null> {
  const redirectUrl = await findRedirectUrl(db, id)
  if (!redirectUrl) return null
  const url = new URL(redirectUrl)
  url.searchParams.set('identification_id', id)
  url.searchParams.set('status', identificationStatus(state))
  return url.href
}

export const Home = ({ frame, href }: { frame: Frame; href: string | null }) =>
  href === null ? null : (
    <p>
      <a class="button" href={href}>
        {frame.t('done.home', { vault: frame.vaultName ?? '' })}
      </a>
    </p>
  )
