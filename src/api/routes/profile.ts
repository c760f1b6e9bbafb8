/** Routes for the profiles of vaults, which administrators draft, check, rehearse and publish. */
import { adminActionResponse } from '../../contracts/admin-action.ts'
import {
  type DraftBody,
  draftBody,
  profileProblemsResponse,
  profileResponse,
  publishBody,
  rehearsalResponse,
} from '../../contracts/profile.ts'
import { presenterOf } from '../../contracts/record.ts'
import { shippedProfilesResponse } from '../../contracts/shipped-profile.ts'
import { timeOf } from '../../domain/base/unix-time.ts'
import { SHIPPED } from '../../domain/profile/shipped/index.ts'
import {
  checkDraft,
  getDraft,
  getProfile,
  type Profile,
  publicationOf,
  replaceDraft,
} from '../../use-cases/access/profile.ts'
import { rehearseDraft } from '../../use-cases/review/rehearsal.ts'
import { type Route, route } from '../routing/route.ts'
import { answerAction } from './requested-action.ts'

const present = presenterOf(profileResponse.shape.data)

const presentProfile = (profile: Profile) =>
  present({ ...profile, status: profile.isDraft ? 'draft' : 'published' })

const presentShippedProfile = presenterOf(shippedProfilesResponse.shape.data.element)

export const profileRoutes: readonly Route[] = [
  route({
    name: 'listShippedProfiles',
    at: 'GET /profiles',
    role: 'read_settings',
    summary: 'List the profiles that Gatehouse ships, with which a draft can begin',
    response: { 200: shippedProfilesResponse },
    handler: async () => ({ body: { data: Object.values(SHIPPED).map(presentShippedProfile) } }),
  }),
  route({
    name: 'getProfile',
    at: 'GET /vaults/:id/profile',
    role: 'read_settings',
    summary: 'Read the published profile of a vault',
    response: { 200: profileResponse },
    handler: async ({ deps, caller, params: { id } }) => ({
      body: { data: presentProfile(await getProfile(deps, caller, id)) },
    }),
  }),
  route({
    name: 'getProfileDraft',
    at: 'GET /vaults/:id/profile/draft',
    role: 'read_settings',
    summary: 'Read the draft of a vault’s profile',
    response: { 200: profileResponse },
    handler: async ({ deps, caller, params: { id } }) => ({
      body: { data: presentProfile(await getDraft(deps, caller, id)) },
    }),
  }),
  route({
    name: 'replaceProfileDraft',
    at: 'PUT /vaults/:id/profile/draft',
    role: 'administer',
    summary: 'Create or replace the draft of a vault’s profile',
    retryGuidance: 'same',
    response: { 200: profileResponse },
    body: draftBody,
    handler: async ({ deps, caller, by, params: { id }, body }) => {
      const { document } = body as DraftBody
      return {
        body: { data: presentProfile(await replaceDraft(deps, caller, by, id, document)) },
      }
    },
  }),
  route({
    name: 'checkProfileDraft',
    at: 'POST /vaults/:id/profile/draft/check',
    role: 'read_settings',
    summary: 'List the problems that prevent the publication of a draft',
    retryGuidance: 'nothing',
    repeatable: true,
    response: { 200: profileProblemsResponse },
    handler: async ({ deps, caller, params: { id } }) => ({
      body: { data: { problems: await checkDraft(deps, caller, id) } },
    }),
  }),
  route({
    name: 'rehearseProfileDraft',
    at: 'POST /vaults/:id/profile/draft/rehearse',
    role: 'read_settings',
    summary: 'Count the applications that would owe more under a draft',
    retryGuidance: 'nothing',
    repeatable: true,
    response: { 200: rehearsalResponse },
    handler: async ({ deps, caller, by, params: { id } }) => {
      const { applications, affected, byPath } = await rehearseDraft(deps, caller, by, id, 0)
      return { body: { data: { applications, affected, by_path: byPath } } }
    },
  }),
  route({
    name: 'publishProfileDraft',
    at: 'POST /vaults/:id/profile/draft/publish',
    role: 'administer',
    summary: 'Publish the draft of a vault’s profile',
    retryGuidance: 'twice',
    response: { 200: profileResponse, 202: adminActionResponse },
    body: publishBody,
    handler: async ({ params: { id }, body: { applies_from }, ...asked }) => {
      const from = timeOf(applies_from)
      const action = await publicationOf(asked.deps, asked.caller, id, from)
      return answerAction(asked, action, (profile) => ({ body: { data: presentProfile(profile) } }))
    },
  }),
]
