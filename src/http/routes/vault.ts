/** Vaults, created and changed by operators who administer. */
import { idParams, unixSeconds } from '../../contracts/common.ts'
import { createVaultBody, patchVaultBody, vaultAnswer } from '../../contracts/vault.ts'
import { findVault, insertVault, updateVault } from '../../db/vault.ts'
import { RequestRefused } from '../../domain/errors.ts'
import { newWebhookSecret } from '../../storage/random.ts'
import type { RouteDeps } from '../deps.ts'
import { type Route, route } from '../route.ts'

export const vaultRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/vaults',
    role: 'operator_admin',
    summary: 'Create a vault',
    response: { 201: vaultAnswer },
    body: createVaultBody,
    handler: ({ body, effect }) =>
      effect.commit(async (tx) => {
        const { id } = effect
        await insertVault(tx, {
          id,
          name: body.name,
          importEnabled: body.import_enabled,
          internalSettlementsEnabled: body.internal_settlements_enabled,
          tradingFee: body.trading_fee,
          webhookSecret: newWebhookSecret(),
        })
        return { answer: { status: 201, ...(await answer({ db: tx }, id)) } }
      }),
  }),
  route({
    method: 'patch',
    path: '/vaults/:id',
    role: 'operator_admin',
    summary: 'Change a vault',
    response: { 200: vaultAnswer },
    params: idParams,
    body: patchVaultBody,
    handler: async ({ deps, params: { id }, body }) => {
      await updateVault(deps.db, id, {
        name: body.name,
        importEnabled: body.import_enabled,
        internalSettlementsEnabled: body.internal_settlements_enabled,
        tradingFee: body.trading_fee,
      })
      return answer(deps, id)
    },
  }),
]

async function answer({ db }: Pick<RouteDeps, 'db'>, id: string) {
  const vault = await findVault(db, id)
  if (!vault) throw new RequestRefused({ code: 'not_found' })
  return {
    body: {
      data: {
        id,
        name: vault.name,
        import_enabled: vault.importEnabled,
        internal_settlements_enabled: vault.internalSettlementsEnabled,
        trading_fee: vault.tradingFee,
        created_at: unixSeconds(vault.createdAt),
      },
    },
  }
}
