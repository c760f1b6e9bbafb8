/** API keys of vaults, made and revoked by operators who administer. */
import {
  apiKeyAnswer,
  apiKeyCreatedAnswer,
  apiKeyListAnswer,
  createApiKeyBody,
  listApiKeysQuery,
} from '../../contracts/api-key.ts'
import { idParams, listAnswer } from '../../contracts/common.ts'
import { listApiKeys } from '../../db/access/api-key.ts'
import { byOf } from '../../http/address.ts'
import { createApiKey, presentApiKey, revoke } from '../../use-cases/access/api-keys.ts'
import { foundVault } from '../../use-cases/access/vaults.ts'
import { type Route, route } from '../route.ts'

export const apiKeyRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/vaults/:id/api_keys',
    role: 'operator_admin',
    summary: 'Make an API key of a vault; the key is shown this once',
    lost: 'twice',
    response: { 201: apiKeyCreatedAnswer },
    params: idParams,
    body: createApiKeyBody,
    handler: ({ deps, caller, req, params, body, effect }) =>
      createApiKey(deps, { by: byOf(caller, req), effect }, params.id, body),
  }),
  route({
    method: 'get',
    path: '/vaults/:id/api_keys',
    role: 'operator_admin',
    summary: 'List the API keys of a vault',
    response: { 200: apiKeyListAnswer },
    params: idParams,
    query: listApiKeysQuery,
    handler: async ({ deps: { db }, params: { id: vaultId }, query }) => {
      await foundVault(db, vaultId)
      const { keys, totalCount } = await listApiKeys(db, vaultId, query)
      return { body: listAnswer(keys.map(presentApiKey), totalCount, query) }
    },
  }),
  route({
    method: 'delete',
    path: '/api_keys/:id',
    role: 'operator_admin',
    summary: 'Revoke an API key',
    lost: 'same',
    response: { 200: apiKeyAnswer },
    params: idParams,
    handler: async ({ deps: { db }, caller, req, params: { id } }) => ({
      body: { data: presentApiKey(await revoke(db, byOf(caller, req), id)) },
    }),
  }),
]
