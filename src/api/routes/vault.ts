/** Vaults, read, created and changed by operators who administer. */
import { idParams, listAnswer } from '../../contracts/common.ts'
import {
  createVaultBody,
  listVaultsQuery,
  patchVaultBody,
  vaultAnswer,
  vaultDetailsAnswer,
  vaultListAnswer,
} from '../../contracts/vault.ts'
import { settingsWithoutSecretsAnswer } from '../../contracts/webhook.ts'
import { listApiKeys } from '../../db/access/api-key.ts'
import { listVaults } from '../../db/access/vault.ts'
import { listFailingUrls } from '../../db/webhooks/failing-url.ts'
import { readWebhookHealth } from '../../db/webhooks/health.ts'
import { readWebhookSettings } from '../../db/webhooks/setting.ts'
import { byOf } from '../../http/address.ts'
import { changeVault, createVault, getVault, presentVault } from '../../use-cases/access/vaults.ts'
import { presentApiKey } from '../presenters/api-key.ts'
import { presentSettings } from '../presenters/webhook-setting-answer.ts'
import { type Route, route } from '../route.ts'

/** Those that are listed with their vault: its list has all. */
const NEWEST_KEYS = { page: 1, per_page: 100 }

export const vaultRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/vaults',
    role: 'operator_admin',
    summary: 'List vaults, oldest first',
    response: { 200: vaultListAnswer },
    query: listVaultsQuery,
    handler: async ({ deps: { db, config }, query }) => {
      const { vaults, totalCount } = await listVaults(db, query)
      const data = vaults.map((vault) => presentVault(config, vault))
      return { body: listAnswer(data, totalCount, query) }
    },
  }),
  route({
    method: 'get',
    path: '/vaults/:id',
    role: 'operator_admin',
    summary: 'Read a vault: its settings, its API keys, and how its webhooks fare',
    response: { 200: vaultDetailsAnswer },
    params: idParams,
    handler: async ({ deps: { db, config }, params: { id } }) => {
      const vault = presentVault(config, await getVault({ db }, id))
      const { keys } = await listApiKeys(db, id, NEWEST_KEYS)
      const webhooks = await readWebhookHealth(db, id)
      return { body: { data: { ...vault, api_keys: keys.map(presentApiKey), webhooks } } }
    },
  }),
  route({
    method: 'get',
    path: '/vaults/:id/settings',
    role: 'operator_admin',
    summary: 'Read the webhook settings of a vault, without the secret',
    response: { 200: settingsWithoutSecretsAnswer },
    params: idParams,
    handler: async ({ deps: { db }, params: { id } }) => {
      await getVault({ db }, id)
      return {
        body: { data: presentSettings(id, await readWebhookSettings(db, id), await listFailingUrls(db, id)) },
      }
    },
  }),
  route({
    method: 'post',
    path: '/vaults',
    role: 'operator_admin',
    summary: 'Create a vault',
    lost: 'twice',
    response: { 201: vaultAnswer },
    body: createVaultBody,
    handler: ({ deps: { config }, caller, req, body, effect }) =>
      createVault(config, { by: byOf(caller, req), effect }, body),
  }),
  route({
    method: 'patch',
    path: '/vaults/:id',
    role: 'operator_admin',
    summary: 'Change a vault',
    lost: 'same',
    response: { 200: vaultAnswer },
    params: idParams,
    body: patchVaultBody,
    handler: async ({ deps: { db, config }, caller, req, params: { id }, body }) => ({
      body: { data: presentVault(config, await changeVault(db, byOf(caller, req), id, body)) },
    }),
  }),
]
