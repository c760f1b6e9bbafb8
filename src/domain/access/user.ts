/** People who sign in: developers of clients by their vaults, operators by their operator roles. */
import type { ClientRole, VaultAccess } from './access.ts'

export interface User {
  readonly id: string
  readonly email: string
  /** Null for a password of the user's own choice. */
  readonly passwordExpiresAt: Date | null
  /** Tokens and sessions with an earlier version have ended. */
  readonly tokenVersion: number
  readonly otpRequiredForLogin: boolean
  readonly operatorRoles: readonly string[]
  /** The first one is the user's default. */
  readonly vaults: readonly VaultAccess[]
  readonly createdAt: Date
}

export interface VaultGrant {
  readonly id: string
  readonly roles: readonly ClientRole[]
}
