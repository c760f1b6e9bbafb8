/** Component: a link back to the client's website. */

import { ButtonLink } from '../components/button.tsx'
import type { Frame } from '../components/layout.tsx'

export const Home = ({ frame, href }: { frame: Frame; href: string | null }) =>
  href === null ? null : (
    <p>
      <ButtonLink href={href}>{frame.t('done.home', { vault: frame.vaultName ?? '' })}</ButtonLink>
    </p>
  )
