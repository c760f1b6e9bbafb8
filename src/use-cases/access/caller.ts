/** Rules for the vaults and operations that a caller's roles permit. */
import { CLIENT_ROLES, type ClientRole, type VaultAccess } from '../../domain/access/access.ts'
import {
  type Grant,
  type Granted,
  hasPermission,
  isForDeployment,
  isInScope,
  isPermission,
  type Permission,
  rolesWith,
  visibleVaults,
} from '../../domain/access/grant.ts'
import { ERRORS, RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { Share } from '../../process/fair-slots.ts'

/**
 * The client role or operator permission that a route requires. `signed_in` accepts any user with a token, but no API
 * key. Routes that require it only change the user's own access.
 */
type Role = ClientRole | Permission | 'signed_in' | 'public'

/** One role, or several roles that a caller must have in the same vault. */
export type Needed = Role | readonly ClientRole[]

/** Required if a response shows stored data and contains a link with which others can change that data. */
export const READ_AND_WRITE: readonly ClientRole[] = CLIENT_ROLES

export interface Caller extends Granted {
  /** The caller's name in timelines: `api_key:<id>`, `user:<id>` or `operator:<id>`. */
  readonly actor: string
  readonly userId: string | null
  /** A client's vaults. The first vault is the default. */
  readonly vaults: readonly VaultAccess[]
  /** An operator's grants, including those of the operator's groups. */
  readonly grants: readonly Grant[]
  /** Whether the password is one-time. If so, the caller can only set a new password. */
  readonly mustChangePassword: boolean
}

/** A caller who reads files. Only clients have vaults here. */
export type Reader = Pick<Caller, 'actor'> & Partial<Pick<Caller, 'vaults'>>

/** Returns the limit key of a reader. All API keys of a vault share one limit. */
export const readerOf = ({ vaults = [], actor }: Reader): string =>
  vaults[0] && vaults.length === 1 ? vaults[0].id : actor

/** Divides the slots of a reader among the keys and users that share them. */
export const shareOf = (reader: Reader): Share => ({ vaultId: readerOf(reader), caller: reader.actor })

/** The caller of a public route. */
export const ANONYMOUS: Caller = {
  actor: 'nobody',
  userId: null,
  vaults: [],
  grants: [],
  mustChangePassword: false,
}

/**
 * Throws `password_change_required` if the password is one-time, or `insufficient_role` if the caller does not have the
 * role in any vault.
 */
export function requireRole(caller: Caller, needed: Needed): void {
  if (caller.mustChangePassword && needed !== 'signed_in')
    throw new RequestRefused({ code: 'password_change_required' })
  const has =
    needed === 'public' ||
    (needed === 'signed_in' && caller.userId !== null) ||
    (isPermission(needed) && hasPermission(caller, needed)) ||
    caller.vaults.some(({ roles }) => holds(roles, needed))
  if (has) return
  const roles = [...caller.grants.map(({ role }) => role), ...caller.vaults.flatMap((vault) => vault.roles)]
  throw needed === 'signed_in'
    ? new RequestRefused({
        code: 'insufficient_role',
        message: 'API keys have no password. Sign in as a user.',
      })
    : lacking(needed, roles)
}

const holds = (roles: readonly string[], needed: Needed): boolean =>
  [needed].flat().every((role) => roles.includes(role))

/**
 * Returns whether the caller may see the content of a vault's resources, and the links with which others can change
 * them.
 */
export function visibilityFor(
  caller: Caller,
  vaultId: string,
): { readonly content: boolean; readonly links: boolean } {
  const roles = caller.vaults.find(({ id }) => id === vaultId)?.roles ?? []
  return { content: holds(roles, 'api_read'), links: holds(roles, 'api_write') }
}

const IN_FIRST = ' in the vault (your first vault unless vault_id names another)'

/** Names the roles that permit a request: any of an operator’s roles, or all of a client’s. */
export function nameRoles(needed: Needed, show = (role: string) => role): string {
  if (isPermission(needed))
    return `role ${rolesWith(needed).map(show).join(' or ')}${isForDeployment(needed) ? ' for all vaults' : ''}`
  const roles = [needed].flat().map(show)
  return `${roles.length > 1 ? 'roles' : 'role'} ${roles.join(' and ')}`
}

function lacking(needed: Needed, roles: readonly string[], where = ''): RequestRefused {
  const own = [...new Set(roles)].join(', ') || 'no role'
  return new RequestRefused({
    code: 'insufficient_role',
    message: `This requires the ${nameRoles(needed)}${where}. The credentials have ${own}.`,
  })
}

/**
 * Throws `insufficient_role` if the operator does not have the permission in the vault. If the operator cannot see
 * objects of this type there either, throws `not_found`, because a 403 would reveal that the object exists.
 */
export function requirePermission(operator: Granted, permission: Permission, vaultId: string): void {
  if (hasPermission(operator, permission, vaultId)) return
  if (!isInScope(visibleVaults(operator, permission), vaultId))
    throw new RequestRefused({ code: 'not_found' })
  const roles = operator.grants.filter((grant) => [null, vaultId].includes(grant.vaultId))
  throw lacking(
    permission,
    roles.map(({ role }) => role),
    ' in this vault',
  )
}

/**
 * Returns the vault that `vaultId` names, or the caller's first vault. Throws `not_found` for another client's vault,
 * and `insufficient_role` if the caller does not have the role in the vault.
 */
export function requireVault(caller: Caller, needed: Needed, vaultId?: string): string {
  const vault = vaultId === undefined ? caller.vaults[0] : caller.vaults.find(({ id }) => id === vaultId)
  if (!vault) {
    const message = `${ERRORS.not_found.message}: there is no vault with this ID that you can access.`
    throw new RequestRefused({ code: 'not_found', ...(vaultId !== undefined && { message }) })
  }
  if (!holds(vault.roles, needed)) {
    const isElsewhere = vaultId === undefined && caller.vaults.some(({ roles }) => holds(roles, needed))
    throw lacking(needed, vault.roles, isElsewhere ? IN_FIRST : ' in this vault')
  }
  return vault.id
}

/** A client, or an operator, with the vault of the client whom the operator helps if the request names it. */
export type VaultUser = Caller | { readonly operator: Granted; readonly vaultId?: string }

/** The role of a client and the permission of an operator that reading and changing a vault's settings require. */
const RIGHTS = {
  read: { role: 'api_read', permission: 'read_settings' },
  change: { role: 'api_write', permission: 'administer' },
} as const
export type Access = keyof typeof RIGHTS

/**
 * Returns the vault that `vaultId` names, or the user's own vault. Throws the errors of `requirePermission` for
 * operators, and those of `requireVault` for clients.
 */
export function requireAccess(user: VaultUser, access: Access, vaultId?: string): string {
  const { role, permission } = RIGHTS[access]
  if (!('operator' in user)) return requireVault(user, role, vaultId)
  const id = requireFound(vaultId ?? user.vaultId)
  requirePermission(user.operator, permission, id)
  return id
}

/**
 * Returns the caller's vault that contains the resource. If no vault contains it, returns a vault in which the caller
 * has the role, so that the later lookup in that vault finds nothing.
 */
export async function requireVaultHolding(
  caller: Caller,
  needed: Needed,
  findVault: () => Promise<string | null>,
): Promise<string> {
  const vaultId = caller.vaults.length > 1 ? await findVault() : caller.vaults[0]?.id
  const holding = caller.vaults.find(({ id }) => id === vaultId)
  const fallback = caller.vaults.find(({ roles }) => holds(roles, needed))
  return requireVault(caller, needed, (holding ?? fallback)?.id)
}
