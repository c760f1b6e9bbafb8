/** Component: a note that states who can see the applicant's details. */
import { Icon } from './icon.tsx'
import type { Frame } from './layout.tsx'

export const PrivateNote = ({ frame: { t, vaultName } }: { readonly frame: Frame }) => (
  <p class="private">
    <Icon name="lock" />
    {t('link.private', { vault: vaultName ?? '' })}
  </p>
)
