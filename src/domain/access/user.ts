/** Rules for users: client developers have roles in vaults, operators have grants. */
import type { ClientRole, VaultAccess } from './access.ts'
import type { Grant } from './grant.ts'

export interface User {
  readonly id: string
  readonly email: string
  /** Null if the user chose the password. */
  readonly passwordExpiresAt: Date | null
  /** Tokens and sessions with an earlier version are invalid. */
  readonly tokenVersion: number
  readonly otpRequiredForLogin: boolean
  readonly operatorGrants: readonly Grant[]
  /** The grants of the user and of the user's groups. */
  readonly effectiveGrants: readonly Grant[]
  /** When the user's access ends, or null. */
  readonly accessEndsAt: Date | null
  /** The first vault is the user's default. */
  readonly vaults: readonly VaultAccess[]
  readonly createdAt: Date
}

export interface VaultGrant {
  readonly id: string
  readonly roles: readonly ClientRole[]
}

/** Returns whether the user's access has ended. Such a user cannot sign in. */
export const hasAccessEnded = ({ accessEndsAt }: Pick<User, 'accessEndsAt'>): boolean =>
  accessEndsAt !== null && accessEndsAt.getTime() <= Date.now()
