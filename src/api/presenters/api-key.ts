/** Presents an API key to administrators. */
import { unixSeconds } from '../../contracts/common.ts'
import type { ApiKey } from '../../domain/access/api-key.ts'

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
  awaits_confirmation: key.awaitsConfirmation,
})
