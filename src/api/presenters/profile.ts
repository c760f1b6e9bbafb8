/** Presents profiles of vaults. */
import { unixSeconds } from '../../contracts/common.ts'
import type { ShippedProfile } from '../../domain/profile/shipped/profile.ts'
import type { Profile } from '../../use-cases/access/profile.ts'

export const presentProfile = ({ version, isDraft, appliesFrom, document }: Profile) => ({
  version,
  status: isDraft ? ('draft' as const) : ('published' as const),
  applies_from: appliesFrom && unixSeconds(appliesFrom),
  document,
})

export const presentShippedProfile = ({ name, state, title, sources, document }: ShippedProfile) => ({
  name,
  state,
  title,
  sources,
  document,
})
