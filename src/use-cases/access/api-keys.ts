/** API keys of vaults, made and revoked by operators who administer: for the API, and for the console. */
import type { z } from 'zod'
import type { createApiKeyBody } from '../../contracts/api-key.ts'
import { unixSeconds } from '../../contracts/common.ts'
import { type ApiKey, findApiKey, insertApiKey, revokeApiKey } from '../../db/access/api-key.ts'
import { recordAudit } from '../../db/access/audit.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { auditChanges } from '../../domain/access/audit.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { RouteDeps } from '../../http/deps.ts'
import type { Administering } from './administering.ts'
import { newApiKey } from './api-key-text.ts'
import { foundVault } from './vaults.ts'

/** The only answer that shows the key itself. */
export async function createApiKey(
  { db, config }: Pick<RouteDeps, 'db' | 'config'>,
  { by, effect }: Administering,
  vaultId: string,
  { roles, name = null, expires_at }: z.output<typeof createApiKeyBody>,
) {
  await foundVault(db, vaultId)
  const { id } = effect
  const key = newApiKey(config.ENVIRONMENT)
  const expiresAt = expires_at ? new Date(expires_at * 1_000) : null
  return effect.commit((outer) =>
    transaction(outer, async (tx) => {
      await insertApiKey(tx, { id, vaultId, key, roles, name, expiresAt })
      const shown = presentApiKey(await foundApiKey(tx, id))
      const changes = auditChanges({}, { prefix: shown.prefix, roles, expires_at: shown.expires_at })
      const done = { action: 'api_key_created', subject: 'api_key', subjectId: id } as const
      await recordAudit(tx, by, { ...done, vaultId, changes })
      return { answer: { status: 201 as const, body: { data: { ...shown, key } } } }
    }),
  )
}

export const revoke = (db: Database, by: Administering['by'], id: string): Promise<ApiKey> =>
  transaction(db, async (tx) => {
    const isRevoked = await revokeApiKey(tx, id)
    const key = await foundApiKey(tx, id)
    const done = { action: 'api_key_revoked', subject: 'api_key', subjectId: id } as const
    const changes = { prefix: { from: key.prefix } }
    if (isRevoked) await recordAudit(tx, by, { ...done, vaultId: key.vaultId, changes })
    return key
  })

export async function foundApiKey(db: Database, id: string): Promise<ApiKey> {
  const key = await findApiKey(db, id)
  if (!key) throw new RequestRefused({ code: 'not_found' })
  return key
}

const moment = (date: Date | null): number | null => date && unixSeconds(date)

export const presentApiKey = (key: ApiKey) => ({
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
