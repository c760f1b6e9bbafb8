/** Rules for clients' roles, and for the access to vaults that these roles grant. */

/** The roles in a vault, which permit reading its resources and changing them. */
export const CLIENT_ROLES = ['api_read', 'api_write'] as const
export type ClientRole = (typeof CLIENT_ROLES)[number]

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

const OPERATOR = 'operator:'
/** Returns the name of an operator in timelines. */
export const operatorActor = (userId: string): string => OPERATOR + userId
/** Returns the user ID if the actor is an operator, or null otherwise. */
export const operatorIdOf = (actor: string): string | null =>
  actor.startsWith(OPERATOR) ? actor.slice(OPERATOR.length) : null
