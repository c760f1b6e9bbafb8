/** The way back to where the applicant came from. */
import type { Database } from '../db/database.ts'
import type { Identification } from '../db/identification.ts'
import { findRedirectUrl } from '../db/verification-link.ts'
import { identificationStatus } from '../domain/identification.ts'
import type { Frame } from './layout.tsx'

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
