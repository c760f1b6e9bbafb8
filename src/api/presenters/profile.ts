/** Presents profiles of vaults. */
import { profileResponse } from '../../contracts/profile.ts'
import { presenterOf } from '../../contracts/record.ts'
import { shippedProfilesResponse } from '../../contracts/shipped-profile.ts'
import type { Profile } from '../../use-cases/access/profile.ts'

const present = presenterOf(profileResponse.shape.data)

export const presentProfile = (profile: Profile) =>
  present({ ...profile, status: profile.isDraft ? 'draft' : 'published' })

export const presentShippedProfile = presenterOf(shippedProfilesResponse.shape.data.element)
