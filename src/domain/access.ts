/** The roles that routes ask for, and what a credential opens. */

/** In a vault: reading it, and changing what is in it. */
export const CLIENT_ROLES = ['api_read', 'api_write'] as const
export type ClientRole = (typeof CLIENT_ROLES)[number]

export const OPERATOR_ROLES = ['operator_review', 'operator_admin'] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

export interface VaultAccess {
  readonly id: string
  readonly name: string
  readonly roles: readonly string[]
}
