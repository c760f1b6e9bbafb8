/** Provides the options of a vault's URLs, which rarely change. Reads them again only if their version has changed. */
import { LRUCache } from 'lru-cache'
import type { Database } from '../db/connection/database.ts'
import { readSendingOptions, type SendingOptions, type VaultOptions } from '../db/webhooks/url.ts'

const MAX_VAULTS = 1_000
const NONE: ReadonlyMap<string, SendingOptions> = new Map()

/** Returns the current options by URL. `version` is the version at the claim. */
export type OptionsOfVault = (
  vaultId: string,
  version: number,
) => Promise<ReadonlyMap<string, SendingOptions>>

export function createUrlOptions(db: Database): OptionsOfVault {
  const known = new LRUCache<string, VaultOptions>({
    max: MAX_VAULTS,
    fetchMethod: (vaultId) => readSendingOptions(db, vaultId),
  })
  return async (vaultId, version) => {
    if (version === 0) return NONE
    const read = () => known.forceFetch(vaultId, { forceRefresh: true })
    const cached = known.get(vaultId)
    const options = cached?.version === version ? cached : await read()
    // A read that was already in progress may return an earlier version, and the next one returns the current version. If
    // the database was restored, this version can be earlier.
    return (options.version < version ? await read() : options).ofUrl
  }
}
