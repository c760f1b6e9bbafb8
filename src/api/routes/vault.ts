/** Routes for vaults, which administrators read, create and change. */

import { adminActionResponse } from '../../contracts/admin-action.ts'
import { listResponse } from '../../contracts/common.ts'
import { presenterOf } from '../../contracts/record.ts'
import {
  createVaultBody,
  listVaultsQuery,
  patchVaultBody,
  vaultChangesOf,
  vaultDetailsResponse,
  vaultListResponse,
  vaultResponse,
} from '../../contracts/vault.ts'
import { settingsWithoutSecretsResponse } from '../../contracts/webhook.ts'
import { vaultsFor } from '../../domain/access/grant.ts'
import type { Vault } from '../../domain/access/vault.ts'
import { unixSeconds } from '../../domain/base/unix-time.ts'
import type { WebhookHealth } from '../../domain/webhook/health.ts'
import { logoPath } from '../../use-cases/access/branding.ts'
import { createVault, getVaultDetails, listVaults } from '../../use-cases/access/vaults.ts'
import { getWebhookSettings } from '../../use-cases/webhooks/settings.ts'
import { presentApiKey } from '../presenters/api-key.ts'
import { presentSettings } from '../presenters/webhook-setting.ts'
import { type Route, route } from '../routing/route.ts'
import { answerAction } from './requested-action.ts'

const present = presenterOf(vaultResponse.shape.data)

/** Presents a vault. The URL of its logo starts with `publicUrl`. */
function presentVault(publicUrl: string, vault: Vault) {
  const logo = logoPath(vault)
  return present({ ...vault, logoUrl: logo && publicUrl + logo })
}

const presentHealth = ({ topic, url, ...health }: WebhookHealth) => ({
  topic,
  url,
  attempts_24h: health.attempts,
  accepted_24h: health.accepted,
  failing_since: health.failingSince && unixSeconds(health.failingSince),
  oldest_pending_at: health.oldestPendingAt && unixSeconds(health.oldestPendingAt),
})

/** The maximum number of API keys in a vault's details, newest first. The list of API keys contains all of them. */
const SHOWN_KEYS = 100

export const vaultRoutes: readonly Route[] = [
  route({
    name: 'listVaults',
    at: 'GET /vaults',
    role: 'read_settings',
    summary: 'List vaults, oldest first',
    response: { 200: vaultListResponse },
    query: listVaultsQuery,
    handler: async ({ deps, caller, query }) => {
      const listed = await listVaults(deps, vaultsFor(caller, 'read_settings'), query)
      return { body: listResponse(listed, query, (vault) => presentVault(deps.config.PUBLIC_URL, vault)) }
    },
  }),
  route({
    name: 'getVault',
    at: 'GET /vaults/:id',
    role: 'read_settings',
    summary: 'Read a vault with its settings, its API keys and the status of its webhooks',
    response: { 200: vaultDetailsResponse },
    handler: async ({ deps, caller, params: { id } }) => {
      const { vault, keys, webhooks } = await getVaultDetails(deps, caller, id, SHOWN_KEYS)
      const data = {
        ...presentVault(deps.config.PUBLIC_URL, vault),
        api_keys: keys.map(presentApiKey),
        webhooks: webhooks.map(presentHealth),
      }
      return { body: { data } }
    },
  }),
  route({
    name: 'getVaultWebhookSettings',
    at: 'GET /vaults/:id/settings',
    role: 'read_settings',
    summary: 'Read a vault’s webhook settings, without the secret',
    response: { 200: settingsWithoutSecretsResponse },
    handler: async ({ deps, caller, params: { id } }) => ({
      body: { data: presentSettings(await getWebhookSettings(deps, caller, id)) },
    }),
  }),
  route({
    name: 'createVault',
    at: 'POST /vaults',
    role: 'administer_deployment',
    summary: 'Create a vault',
    retryGuidance: 'twice',
    response: { 201: vaultResponse },
    body: createVaultBody,
    handler: ({ deps, by, body, effect }) =>
      effect.answering(
        (vault: Vault) => ({
          status: 201 as const,
          body: { data: presentVault(deps.config.PUBLIC_URL, vault) },
        }),
        (commit) => createVault(deps, by, { ...vaultChangesOf(body), name: body.name }, commit),
      ),
  }),
  route({
    name: 'updateVault',
    at: 'PATCH /vaults/:id',
    role: 'administer',
    summary: 'Change a vault',
    retryGuidance: 'same',
    response: { 200: vaultResponse, 202: adminActionResponse },
    body: patchVaultBody,
    handler: ({ params: { id: vaultId }, body, ...asked }) => {
      const action = { kind: 'change_vault', vaultId, changes: vaultChangesOf(body) } as const
      return answerAction(asked, action, (vault) => ({
        body: { data: presentVault(asked.deps.config.PUBLIC_URL, vault) },
      }))
    },
  }),
]
