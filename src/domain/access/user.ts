/** Rules for users. Client developers have roles in vaults, and operators have grants. */
import { SEAT_ROLES, type VaultAccess, type VaultRole } from './access.ts'
import type { Grant } from './grant.ts'

export interface User {
  readonly id: string
  readonly email: string
  /** When the one-time password expires, or null if the user chose the password. */
  readonly passwordExpiresAt: Date | null
  /** The current version. Tokens and sessions with an earlier version are invalid. */
  readonly tokenVersion: number
  readonly otpRequiredForLogin: boolean
  readonly operatorGrants: readonly Grant[]
  /** The grants of the user and of the user's groups. */
  readonly effectiveGrants: readonly Grant[]
  /** When the user's access ends, or null if it does not end. */
  readonly accessEndsAt: Date | null
  /**
   * The vault whose own administrator added the user, or null. Such a member has a seat in this vault, and no other
   * role.
   */
  readonly memberOf: string | null
  /** The user's vaults. The first one is the default. */
  readonly vaults: readonly VaultAccess[]
  readonly createdAt: Date
}

/** Operators have grants, and clients have roles in vaults. A user can be both. */
export const USER_KINDS = ['operator', 'client'] as const
export type UserKind = (typeof USER_KINDS)[number]

export interface UserFilter {
  readonly kind?: UserKind | undefined
  /** Selects only users with a role or a grant in this vault. */
  readonly vaultId?: string | undefined
}

export interface VaultGrant {
  readonly id: string
  readonly roles: readonly VaultRole[]
}

export interface Roles {
  readonly vaults: readonly Pick<VaultAccess, 'id' | 'roles'>[]
  readonly operatorGrants: readonly Grant[]
}

/**
 * Returns whether the user can have the roles. A vault's own administrator, who chose the email and the first password
 * of a member, must not get more rights through this account.
 */
export const canHaveRoles = ({ memberOf }: Pick<User, 'memberOf'>, { vaults, operatorGrants }: Roles) =>
  memberOf === null ||
  (operatorGrants.length === 0 &&
    vaults.every(
      ({ id, roles }) => id === memberOf && roles.every((role) => SEAT_ROLES.some((seat) => seat === role)),
    ))

/** Returns whether the user's access has ended. If it has, the user cannot sign in. */
export const hasAccessEnded = ({ accessEndsAt }: Pick<User, 'accessEndsAt'>): boolean =>
  accessEndsAt !== null && accessEndsAt.getTime() <= Date.now()
