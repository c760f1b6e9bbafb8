/** Provides the secrets that sign deliveries. Reads them again if they may have been rotated since the claim. */
import { performance } from 'node:perf_hooks'
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/connection/database.ts'
import { readSecretsInForce } from '../db/webhooks/setting.ts'

/** How long secrets are cached. */
const FRESH_MS = 100
const MAX_VAULTS = 1_000

/** The secrets of a vault, and when they were read. */
interface KnownSecrets {
  readonly vaultId: string
  readonly secrets: readonly string[]
  readonly readAt: number
}

export type CurrentSecrets = (known: KnownSecrets) => Promise<readonly string[]>

/** Creates the reader of secrets. While the database is unavailable, the known secrets remain in use. */
export function createCurrentSecrets(db: Database): CurrentSecrets {
  const secretsOfVault = new LRUCache<string, string[]>({
    max: MAX_VAULTS,
    ttl: FRESH_MS,
    fetchMethod: (vaultId) => readSecretsInForce(db, vaultId),
  })
  return async ({ vaultId, secrets, readAt }) => {
    if (performance.now() - readAt < FRESH_MS) return secrets
    return (await secretsOfVault.fetch(vaultId).catch(() => null)) ?? secrets
  }
}
