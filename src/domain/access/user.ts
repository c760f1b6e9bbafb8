/** Rules for users: client developers have roles in vaults, operators have operator roles. */
import type { ClientRole, VaultAccess } from './access.ts'

export interface User {
  readonly id: string
  readonly email: string
  /** Null if the user chose the password. */
  readonly passwordExpiresAt: Date | null
  /** Tokens and sessions with an earlier version are invalid. */
  readonly tokenVersion: number
  readonly otpRequiredForLogin: boolean
  readonly operatorRoles: readonly string[]
  /** The operator roles of the user and of the user's groups. */
  readonly effectiveRoles: readonly string[]
  /** From then on, the user cannot sign in and has no access. */
  readonly accessEndsAt: Date | null
  /** The first vault is the user's default. */
  readonly vaults: readonly VaultAccess[]
  readonly createdAt: Date
}

export interface VaultGrant {
  readonly id: string
  readonly roles: readonly ClientRole[]
}
