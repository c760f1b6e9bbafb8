/** Presents profiles of vaults. */
import { unixSeconds } from '../../contracts/common.ts'
import type { Profile } from '../../use-cases/access/profile.ts'

export const presentProfile = ({ version, isDraft, appliesFrom, document }: Profile) => ({
  version,
  status: isDraft ? ('draft' as const) : ('published' as const),
  applies_from: appliesFrom && unixSeconds(appliesFrom),
  document,
})
