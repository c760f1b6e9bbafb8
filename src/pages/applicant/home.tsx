/** Component: a link back to the client's website. */

import type { Frame } from '../components/layout.tsx'

export const Home = ({ frame, href }: { frame: Frame; href: string | null }) =>
  href === null ? null : (
    <p>
      <a class="button" href={href}>
        {frame.t('done.home', { vault: frame.vaultName ?? '' })}
      </a>
    </p>
  )
