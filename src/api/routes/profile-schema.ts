/** Route for a vault's profile as JSON Schema, with which clients generate their own forms. */
import { ofVaultQuery } from '../../contracts/common.ts'
import { profileSchema, profileSchemaResponse } from '../../contracts/profile-schema.ts'
import { getProfileForClient } from '../../use-cases/access/profile.ts'
import { type Route, route } from '../routing/route.ts'

export const profileSchemaRoutes: readonly Route[] = [
  route({
    name: 'getProfileSchema',
    at: 'GET /profile',
    role: 'api_read',
    summary: 'Read the vault’s published profile as JSON Schema',
    response: { 200: profileSchemaResponse },
    query: ofVaultQuery,
    handler: async ({ deps, caller, query }) => {
      const { profile, groups } = await getProfileForClient(deps, caller, query.vault_id)
      return { body: { data: profileSchema(profile.document, profile.version, groups, deps.specifiedTexts) } }
    },
  }),
]
