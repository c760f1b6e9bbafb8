/** Routes for API keys of vaults, which administrators create and revoke. */

import {
  apiKeyCreatedResponse,
  apiKeyListResponse,
  apiKeyResponse,
  createApiKeyBody,
  listApiKeysQuery,
} from '../../contracts/api-key.ts'
import { listResponse } from '../../contracts/common.ts'
import {
  type CreatedApiKey,
  createApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../use-cases/access/api-keys.ts'
import { presentApiKey } from '../presenters/api-key.ts'
import { type Route, route } from '../routing/route.ts'

export const apiKeyRoutes: readonly Route[] = [
  route({
    name: 'createApiKey',
    at: 'POST /vaults/:id/api_keys',
    role: 'administer',
    summary: 'Create an API key for a vault and show it once',
    retryGuidance: 'twice',
    response: { 201: apiKeyCreatedResponse },
    body: createApiKeyBody,
    handler: ({ deps, caller, by, params, body: { roles, name = null, expires_at }, effect }) => {
      const asked = { roles, name, expiresAt: expires_at ? new Date(expires_at * 1_000) : null }
      return effect.answering(presentCreated, (commit) =>
        createApiKey(deps, { operator: caller }, by, params.id, asked, commit),
      )
    },
  }),
  route({
    name: 'listApiKeys',
    at: 'GET /vaults/:id/api_keys',
    role: 'read_settings',
    summary: 'List a vault’s API keys',
    response: { 200: apiKeyListResponse },
    query: listApiKeysQuery,
    handler: async ({ deps, caller, params, query }) => {
      const listed = await listApiKeys(deps, { operator: caller }, params.id, query)
      return { body: listResponse(listed, query, presentApiKey) }
    },
  }),
  route({
    name: 'revokeApiKey',
    at: 'DELETE /api_keys/:id',
    role: 'administer',
    summary: 'Revoke an API key',
    retryGuidance: 'same',
    response: { 200: apiKeyResponse },
    handler: async ({ deps, caller, by, params }) => ({
      body: { data: presentApiKey(await revokeApiKey(deps, { operator: caller }, by, params.id)) },
    }),
  }),
]

const presentCreated = ({ key, ...created }: CreatedApiKey) => ({
  status: 201 as const,
  body: { data: { ...presentApiKey(created), key } },
})
