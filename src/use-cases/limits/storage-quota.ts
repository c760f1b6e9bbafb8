/** Limits the files and bytes that each vault stores, including files removed in the last 24 hours. */
import { LRUCache } from 'lru-cache'
import type { Database } from '../../db/connection/database.ts'
import { readStorageUsed, type StorageUsed } from '../../db/files/stored-file.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import type { Config } from '../../process/config.ts'
import { QUOTAS, type QuotaName } from './table.ts'

/** Uploads within this time share one count, so a vault can slightly exceed its limit. */
const COUNT_INTERVAL_MS = 1_000
const MAX_VAULTS = 10_000

export interface StorageQuota {
  readonly limits: StorageUsed
  used(vaultId: string): Promise<StorageUsed>
  /** Throws `quota_exceeded` if the vault has reached a limit. */
  check(vaultId: string): Promise<void>
}

export function createStorageQuota(
  db: Database,
  config: Pick<Config, 'QUOTA_VAULT_FILES' | 'QUOTA_VAULT_BYTES'>,
  onReached: (limit: string) => void,
): StorageQuota {
  const limits = { files: config.QUOTA_VAULT_FILES, bytes: config.QUOTA_VAULT_BYTES }
  const counts = new LRUCache<string, { files: number; bytes: number }>({
    max: MAX_VAULTS,
    ttl: COUNT_INTERVAL_MS,
    fetchMethod: (vaultId) => readStorageUsed(db, vaultId),
  })
  const refuse = (limit: QuotaName) => {
    onReached(limit)
    const { setting, what: things } = QUOTAS[limit]
    const what = `${config[setting].toLocaleString('en')} ${things}`
    const message = `The vault has reached its limit of ${what}. Delete files, or ask the operator of Gatehouse to raise the limit.`
    throw new RequestRefused({ code: 'quota_exceeded', message, limit })
  }
  return {
    limits,
    used: (vaultId) => readStorageUsed(db, vaultId),
    async check(vaultId) {
      const used = (await counts.fetch(vaultId)) ?? { files: 0, bytes: 0 }
      if (used.files >= limits.files) refuse('vault_files')
      if (used.bytes >= limits.bytes) refuse('vault_bytes')
      used.files += 1
    },
  }
}
