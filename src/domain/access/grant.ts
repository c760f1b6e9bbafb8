/** Rules for the roles of operators in vaults, and for the permissions of each role. */

export const OPERATOR_ROLES = ['auditor', 'reviewer', 'senior_reviewer', 'administrator'] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

/** A role in one vault, or in all vaults if `vaultId` is null. */
export interface Grant {
  readonly role: OperatorRole
  readonly vaultId: string | null
}

/** The roles that have each permission. Permissions for the deployment require a grant for all vaults. */
const ROLES_WITH = {
  /** Permits reading cases, their files and timelines, the queue, searches and reports. */
  read_cases: ['auditor', 'reviewer', 'senior_reviewer'],
  /** Permits changing cases, except for the changes that `confirm` permits. */
  decide: ['reviewer', 'senior_reviewer'],
  /** Permits confirming another operator's decision, and lifting internal holds. */
  confirm: ['senior_reviewer'],
  /** Permits reading the settings and the audit trail of vaults. */
  read_settings: ['auditor', 'administrator'],
  /** Permits changing the settings of vaults, and publishing events. */
  administer: ['administrator'],
  /** Permits reading the settings of the deployment, which are users, groups and their grants. */
  read_deployment: ['auditor', 'administrator'],
  /** Permits changing the settings of the deployment, and creating vaults. */
  administer_deployment: ['administrator'],
} as const satisfies Readonly<Record<string, readonly OperatorRole[]>>

export type Permission = keyof typeof ROLES_WITH

/** Maps each permission to the one that is needed to read the same objects. */
const SEEN_WITH: Readonly<Record<Permission, Permission>> = {
  read_cases: 'read_cases',
  decide: 'read_cases',
  confirm: 'read_cases',
  read_settings: 'read_settings',
  administer: 'read_settings',
  read_deployment: 'read_deployment',
  administer_deployment: 'read_deployment',
}

/** Returns the permissions of a grant. Omits those to read objects that another of them permits changing. */
export function permissionsOf({ role, vaultId }: Grant): Permission[] {
  const permissions = (Object.keys(ROLES_WITH) as Permission[]).filter(
    (each) => rolesWith(each).includes(role) && (vaultId === null || !isForDeployment(each)),
  )
  return permissions.filter(
    (each) => !permissions.some((other) => other !== each && SEEN_WITH[other] === each),
  )
}

export interface Granted {
  readonly grants: readonly Grant[]
}

/** All vaults, or the IDs of some vaults. Queries for operators read only these vaults. */
export type VaultScope = 'all' | readonly string[]

export const isPermission = (needed: unknown): needed is Permission =>
  typeof needed === 'string' && Object.hasOwn(ROLES_WITH, needed)

export const rolesWith = (permission: Permission): readonly OperatorRole[] => ROLES_WITH[permission]

export const isForDeployment = (permission: Permission): boolean =>
  permission === 'read_deployment' || permission === 'administer_deployment'

/**
 * Returns the vaults in which the operator has the permission. With a `vaultId`, returns only this vault, or none if
 * the operator does not have the permission there.
 */
export function vaultsFor({ grants }: Granted, permission: Permission, vaultId?: string): VaultScope {
  const granted = grants.filter(({ role }) => rolesWith(permission).includes(role))
  const isForAll = granted.some((grant) => grant.vaultId === null)
  const own = isForDeployment(permission) ? [] : granted.flatMap((grant) => grant.vaultId ?? [])
  const scope = isForAll ? 'all' : [...new Set(own)].sort()
  if (vaultId === undefined) return scope
  return isInScope(scope, vaultId) ? [vaultId.toLowerCase()] : []
}

/** Returns the vaults in which the operator can see the objects to which the permission applies. */
export const visibleVaults = (operator: Granted, permission: Permission): VaultScope =>
  vaultsFor(operator, SEEN_WITH[permission])

export const isInScope = (scope: VaultScope, vaultId: string): boolean =>
  scope === 'all' || scope.includes(vaultId.toLowerCase())

/**
 * Returns whether the operator has the permission in the vault. Without a `vaultId`, returns true if the operator has
 * it in any vault.
 */
export const hasPermission = (operator: Granted, permission: Permission, vaultId?: string): boolean => {
  const scope = vaultsFor(operator, permission)
  return vaultId === undefined ? scope.length > 0 : isInScope(scope, vaultId)
}

/** Returns a grant with its API names. */
export const recordedGrant = ({ role, vaultId }: Grant) => ({ role, vault_id: vaultId })

const keyOf = ({ role, vaultId }: Grant): string => `${role}:${vaultId}`

/** Returns the grants without duplicates, in a constant order that starts with grants for all vaults. */
export const distinctGrants = (grants: readonly Grant[]): Grant[] => {
  const byKey = new Map(grants.map((grant) => [keyOf(grant), grant]))
  return [...byKey.values()].sort(
    (a, b) =>
      (a.vaultId ?? '').localeCompare(b.vaultId ?? '') ||
      OPERATOR_ROLES.indexOf(a.role) - OPERATOR_ROLES.indexOf(b.role),
  )
}

export const hasNewGrant = (before: readonly Grant[], after: readonly Grant[]): boolean => {
  const known = new Set(before.map(keyOf))
  return after.some((grant) => !known.has(keyOf(grant)))
}

/** Earlier names of roles, which the API and the commands still accept, and which responses contain. */
const EARLIER_NAMES = { operator_review: 'senior_reviewer', operator_admin: 'administrator' } as const

/** The names of roles that requests can contain. Each grants its role for all vaults. */
export const ROLE_NAMES = ['operator_review', 'operator_admin', ...OPERATOR_ROLES] as const
export type RoleName = (typeof ROLE_NAMES)[number]

export interface StoredGrant {
  readonly role: RoleName
  readonly vaultId: string | null
}

const isEarlier = (name: RoleName): name is keyof typeof EARLIER_NAMES => Object.hasOwn(EARLIER_NAMES, name)

export const currentGrants = (grants: readonly StoredGrant[]): Grant[] =>
  distinctGrants(
    grants.map(({ role, vaultId }) => ({ role: isEarlier(role) ? EARLIER_NAMES[role] : role, vaultId })),
  )

/** Returns the grants for all vaults that the role names represent. */
export const grantsOfNames = (names: readonly RoleName[]): Grant[] =>
  currentGrants(names.map((role) => ({ role, vaultId: null })))

/** Returns the roles that are granted for all vaults, under the names that earlier clients know. */
export const namesOfGrants = (grants: readonly Grant[]): RoleName[] => {
  const global = grants.filter(({ vaultId }) => vaultId === null).map(({ role }) => role)
  const renamed: readonly RoleName[] = Object.values(EARLIER_NAMES)
  return ROLE_NAMES.filter((name) =>
    isEarlier(name) ? global.includes(EARLIER_NAMES[name]) : !renamed.includes(name) && global.includes(name),
  )
}
