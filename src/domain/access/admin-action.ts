/** Rules for administrative actions that could defeat four-eyes approval and therefore need a second administrator. */
import type { ClientRole } from './access.ts'
import { apiName } from './audit.ts'
import { type Grant, type Granted, hasNewGrant, hasPermission, recordedGrant } from './grant.ts'
import type { Roles, User, VaultGrant } from './user.ts'
import type { Vault, VaultChanges } from './vault.ts'

export type AdminAction =
  | {
      readonly kind: 'create_user'
      readonly email: string
      readonly vaults: readonly VaultGrant[]
      readonly operatorGrants: readonly Grant[]
    }
  | {
      readonly kind: 'change_roles'
      readonly userId: string
      readonly vaults?: readonly VaultGrant[] | undefined
      readonly operatorGrants?: readonly Grant[] | undefined
    }
  | { readonly kind: 'reset_password'; readonly userId: string }
  | { readonly kind: 'remove_codes'; readonly userId: string }
  | { readonly kind: 'change_group'; readonly group: string; readonly operatorGrants: readonly Grant[] }
  | { readonly kind: 'change_vault'; readonly vaultId: string; readonly changes: VaultChanges }
  | {
      readonly kind: 'publish_profile'
      readonly vaultId: string
      /** The draft, which must not have changed since. */
      readonly version: number
      readonly draftedAt: string
      /** When the version applies, in ISO 8601. By default, when it is published. */
      readonly appliesFrom?: string | undefined
    }
  | {
      readonly kind: 'confirm_api_key'
      readonly vaultId: string
      readonly keyId: string
      readonly prefix: string
      readonly roles: readonly ClientRole[]
    }

export const ADMIN_ACTIONS = [
  'create_user',
  'change_roles',
  'reset_password',
  'remove_codes',
  'change_group',
  'change_vault',
  'publish_profile',
  'confirm_api_key',
] as const satisfies readonly AdminAction['kind'][]

/** An action that awaits confirmation by another administrator. */
export interface AdminProposal {
  readonly id: string
  readonly action: AdminAction
  readonly proposedBy: string
  readonly createdAt: Date
}

/** Returns whether the operator may propose, confirm and withdraw the action. */
export const mayDo = (operator: Granted, action: AdminAction): boolean =>
  'vaultId' in action
    ? hasPermission(operator, 'administer', action.vaultId)
    : hasPermission(operator, 'administer_deployment')

const hasNew = (before: readonly string[], after: readonly string[] = []): boolean =>
  after.some((each) => !before.includes(each))

/** The roles in a vault with which a user can act as the client, by changing data or by creating API keys. */
const ACTING: readonly string[] = ['api_write', 'client_admin']

const actingRoles = (vaults: Roles['vaults']): string[] =>
  vaults.flatMap(({ id, roles }) =>
    roles.filter((role) => ACTING.includes(role)).map((role) => `${id} ${role}`),
  )

/** Returns whether the user can act as the client of a vault. */
export const isActingClient = ({ vaults }: Pick<Roles, 'vaults'>): boolean => actingRoles(vaults).length > 0

type SomeRoles = { readonly [K in keyof Roles]?: Roles[K] | undefined }

/**
 * Returns whether a user or group gains a grant, or a role with which the user can act as the client. Administrators
 * could otherwise create an operator who confirms their own decisions, or act as the client without an API key.
 */
export const gainsRights = (before: SomeRoles, { operatorGrants = [], vaults = [] }: SomeRoles): boolean =>
  hasNewGrant(before.operatorGrants ?? [], operatorGrants) ||
  hasNew(actingRoles(before.vaults ?? []), actingRoles(vaults))

/**
 * Returns whether the user is an operator. After a reset of an operator's password or codes, another person could act
 * as that operator.
 */
export const isOperator = ({ effectiveGrants }: Pick<User, 'effectiveGrants'>): boolean =>
  effectiveGrants.length > 0

/** Returns whether the changes reduce the decisions that need a second operator, or allow imports without a review. */
export const weakensReviews = (before: Vault, after: VaultChanges): boolean =>
  (after.fourEyes !== undefined && hasNew(after.fourEyes, before.fourEyes)) ||
  (after.highRiskCountries !== undefined && hasNew(after.highRiskCountries, before.highRiskCountries)) ||
  (after.importEnabled === true && !before.importEnabled)

/** Returns the values that an action sets, under their API names. A logo appears only as `true`. */
export function valuesOf(action: AdminAction): [name: string, value: unknown][] {
  const {
    kind: _,
    userId: __,
    vaultId: ___,
    keyId: ____,
    changes,
    operatorGrants,
    ...own
  } = action as Record<string, unknown>
  const grants = (operatorGrants as readonly Grant[] | undefined)?.map(recordedGrant)
  return Object.entries({ ...own, operatorGrants: grants, ...(changes as object | undefined) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [apiName(name), name === 'logo' && value !== null ? true : value])
}
