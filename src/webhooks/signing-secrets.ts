/** Provides the secrets that sign deliveries. Reads them again if they may have been rotated since the claim. */
import { performance } from 'node:perf_hooks'
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/connection/database.ts'
import { readSecretsInForce } from '../db/webhooks/setting.ts'

/** How long secrets are cached. */
const FRESH_MS = 100
const MAX_VAULTS = 1_000

/** The secrets of a vault and the version of its URLs' options. */
interface Signing {
  readonly secrets: readonly string[]
  readonly optionsVersion: number
}

interface KnownSigning extends Signing {
  readonly vaultId: string
  /** When they were read, by the monotonic clock of this process. */
  readonly readAt: number
}

export type CurrentSigning = (known: KnownSigning) => Promise<Signing>

/** Creates the reader of secrets. While the database is unavailable, the known secrets remain in use. */
export function createCurrentSigning(db: Database): CurrentSigning {
  const signingOfVault = new LRUCache<string, Signing>({
    max: MAX_VAULTS,
    ttl: FRESH_MS,
    fetchMethod: (vaultId) => readSecretsInForce(db, vaultId),
  })
  return async ({ vaultId, readAt, ...known }) => {
    if (performance.now() - readAt < FRESH_MS) return known
    return (await signingOfVault.fetch(vaultId).catch(() => null)) ?? known
  }
}
