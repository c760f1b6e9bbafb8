/** The roles that routes ask for, and what a credential opens. */

/** In a vault: reading it, and changing what is in it. */
export const CLIENT_ROLES = ['api_read', 'api_write'] as const
export type ClientRole = (typeof CLIENT_ROLES)[number]

export const OPERATOR_ROLES = ['operator_review', 'operator_admin'] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

/** Of a user: so many fit into a token, and a token into a header. */
export const MAX_VAULTS = 20

export interface VaultAccess {
  readonly id: string
  readonly name: string
  readonly roles: readonly string[]
}

const OPERATOR = 'operator:'
/** How timelines name an operator. */
export const operatorActor = (userId: string): string => OPERATOR + userId
/** The user whom an actor names as an operator; null for all others. */
export const operatorIdOf = (actor: string): string | null =>
  actor.startsWith(OPERATOR) ? actor.slice(OPERATOR.length) : null
