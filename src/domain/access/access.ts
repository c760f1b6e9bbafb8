/** Rules for clients' roles, and for the access to vaults that these roles grant. */

/** The roles in a vault, which permit reading its resources and changing them. */
export const CLIENT_ROLES = ['api_read', 'api_write'] as const
export type ClientRole = (typeof CLIENT_ROLES)[number]

/**
 * The roles of a vault's own users in the console. They permit the pages of their vault below `/console/client`, and no
 * other page or route.
 */
export const SEAT_ROLES = ['client_viewer', 'client_admin'] as const
export type SeatRole = (typeof SEAT_ROLES)[number]

/** The roles of users in a vault. API keys have only client roles. */
export const VAULT_ROLES = [...CLIENT_ROLES, ...SEAT_ROLES] as const
export type VaultRole = (typeof VAULT_ROLES)[number]

/** The maximum number of vaults per user. A token contains all vaults of its user and must fit into a header. */
export const MAX_VAULTS = 20

export interface VaultAccess {
  readonly id: string
  readonly name: string
  readonly roles: readonly string[]
}

const APPLICANT = 'applicant:'
/** Returns the name of the applicant of an identification in timelines. */
export const applicantActor = (identificationId: string): string => APPLICANT + identificationId
export const isApplicant = (actor: string): boolean => actor.startsWith(APPLICANT)

/** Returns the name of a vault's own user in timelines. */
export const clientActor = (userId: string): string => `user:${userId}`

const API_KEY = 'api_key:'
/** Returns the name of an API key in timelines. */
export const apiKeyActor = (keyId: string): string => API_KEY + keyId
export const isApiKeyActor = (actor: string): boolean => actor.startsWith(API_KEY)

const OPERATOR = 'operator:'
/** Returns the name of an operator in timelines. */
export const operatorActor = (userId: string): string => OPERATOR + userId
/** Returns the user ID if the actor is an operator, or null otherwise. */
export const operatorIdOf = (actor: string): string | null =>
  actor.startsWith(OPERATOR) ? actor.slice(OPERATOR.length) : null
