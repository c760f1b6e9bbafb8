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
  /** Whether the key is not valid yet, because a second administrator must confirm it. */
  readonly awaitsConfirmation: boolean
}

/** Returns whether a key can change data. Such a key can create approved identities, so it can need two administrators. */
export const canChange = ({ roles }: Pick<ApiKey, 'roles'>): boolean => roles.includes('api_write')
