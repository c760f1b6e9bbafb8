/** Rules for the API keys of vaults. */
import type { ClientRole } from './access.ts'

/** An API key without its text, which is stored only as a hash. */
export interface ApiKey {
  readonly id: string
  readonly vaultId: string
  /** The first characters of the key. */
  readonly prefix: string
  readonly name: string | null
  readonly roles: readonly ClientRole[]
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}
