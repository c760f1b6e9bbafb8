/** API keys of vaults, made and revoked by operators who administer. */
import { newApiKey } from '../../access/api-key.ts'
import {
  apiKeyAnswer,
  apiKeyCreatedAnswer,
  apiKeyListAnswer,
  createApiKeyBody,
  listApiKeysQuery,
} from '../../contracts/api-key.ts'
import { idParams, listAnswer, unixSeconds } from '../../contracts/common.ts'
import { type ApiKey, findApiKey, insertApiKey, listApiKeys, revokeApiKey } from '../../db/api-key.ts'
import type { Database } from '../../db/database.ts'
import { findVault } from '../../db/vault.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { type Route, route } from '../route.ts'

export const apiKeyRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/vaults/:id/api_keys',
    role: 'operator_admin',
    summary: 'Make an API key of a vault; the key is shown this once',
    response: { 201: apiKeyCreatedAnswer },
    params: idParams,
    body: createApiKeyBody,
    handler: async ({ deps: { db, config }, params, body, effect }) => {
      const vaultId = params.id
      const { roles, name = null, expires_at } = body
      await requireVault(db, vaultId)
      const { id } = effect
      const key = newApiKey(config.ENVIRONMENT)
      const expiresAt = expires_at ? new Date(expires_at * 1_000) : null
      return effect.commit(async (tx) => {
        await insertApiKey(tx, { id, vaultId, key, roles, name, expiresAt })
        // The only time that the key itself is shown.
        const data = { ...present(await found(tx, id)), key }
        return { answer: { status: 201 as const, body: { data } } }
      })
    },
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
      await requireVault(db, vaultId)
      const { keys, totalCount } = await listApiKeys(db, vaultId, query)
      return { body: listAnswer(keys.map(present), totalCount, query) }
    },
  }),
  route({
    method: 'delete',
    path: '/api_keys/:id',
    role: 'operator_admin',
    summary: 'Revoke an API key',
    response: { 200: apiKeyAnswer },
    params: idParams,
    handler: async ({ deps: { db }, params: { id } }) => {
      await revokeApiKey(db, id)
      return { body: { data: present(await found(db, id)) } }
    },
  }),
]

async function requireVault(db: Database, id: string): Promise<void> {
  if (!(await findVault(db, id))) throw new RequestRefused({ code: 'not_found' })
}

async function found(db: Database, id: string): Promise<ApiKey> {
  const key = await findApiKey(db, id)
  if (!key) throw new RequestRefused({ code: 'not_found' })
  return key
}

const moment = (date: Date | null): number | null => date && unixSeconds(date)

const present = (key: ApiKey) => ({
  id: key.id,
  vault_id: key.vaultId,
  prefix: key.prefix,
  name: key.name,
  roles: key.roles,
  created_at: unixSeconds(key.createdAt),
  last_used_at: moment(key.lastUsedAt),
  expires_at: moment(key.expiresAt),
  revoked_at: moment(key.revokedAt),
})
