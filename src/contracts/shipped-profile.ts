/** Schemas for the profiles that Gatehouse ships. */
import { z } from 'zod'
import { SHIPPED_NAMES } from '../domain/profile/shipped/profile.ts'
import { described } from './common.ts'
import { profileDocument } from './profile.ts'
import { dataOf, named } from './response.ts'

const texts = z.record(z.string(), z.string())

const shippedProfile = named(
  'ShippedProfile',
  z.strictObject({
    name: z.enum(SHIPPED_NAMES).describe('The name, which does not change.'),
    state: z.enum(['draft', 'final']).describe('`draft` while the law of the profile can still change.'),
    title: described(texts, 'The title, keyed by language.', { en: 'Default' }),
    sources: described(texts, 'The law behind each field, keyed by path.', {
      'additional.place_of_birth': 'Regulation (EU) 2024/1624, Article 22(1)(a)(ii)',
    }),
    document: profileDocument.describe('The complete document, with which you can replace a draft.'),
  }),
)

export const shippedProfilesResponse = dataOf(z.array(shippedProfile))
