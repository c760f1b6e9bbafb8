/** Presents a vault to administrators. */
import { unixSeconds } from '../../contracts/common.ts'
import { presenterOf } from '../../contracts/record.ts'
import { vaultResponse } from '../../contracts/vault.ts'
import type { Vault } from '../../domain/access/vault.ts'
import type { WebhookHealth } from '../../domain/webhook/health.ts'
import { logoPath } from '../../use-cases/access/branding.ts'

const present = presenterOf(vaultResponse.shape.data)

/** Presents a vault. The URL of its logo starts with `publicUrl`. */
export function presentVault(publicUrl: string, vault: Vault) {
  const logo = logoPath(vault)
  return present({ ...vault, logoUrl: logo && publicUrl + logo })
}

export const presentHealth = ({ topic, url, ...health }: WebhookHealth) => ({
  topic,
  url,
  attempts_24h: health.attempts,
  accepted_24h: health.accepted,
  failing_since: health.failingSince && unixSeconds(health.failingSince),
  oldest_pending_at: health.oldestPendingAt && unixSeconds(health.oldestPendingAt),
})
