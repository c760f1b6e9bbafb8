/** A caller, and what its roles open. */
import {
  CLIENT_ROLES,
  type ClientRole,
  type OperatorRole,
  type VaultAccess,
} from '../../domain/access/access.ts'
import { ERRORS, RequestRefused } from '../../domain/errors.ts'

/**
 * What a route asks for; `signed_in` is every user and operator with a token: API keys belong to nobody. It opens the
 * change of the password alone.
 */
export type Role = ClientRole | OperatorRole | 'signed_in' | 'public'

/** One role, or several that a caller must have in the same vault. */
export type Needed = Role | readonly ClientRole[]

/** Needed for what shows stored data to those who may only change it, or lets others change it who may only read. */
export const READ_AND_WRITE: readonly ClientRole[] = CLIENT_ROLES

export interface Caller {
  /** `api_key:<id>`, `user:<id>` or `operator:<id>`: how timelines name the caller. */
  readonly actor: string
  readonly userId: string | null
  /** The vaults a client can reach; the first one is the default. */
  readonly vaults: readonly VaultAccess[]
  readonly operatorRoles: readonly string[]
  /** Somebody else made the password: it opens nothing but the way to another one. */
  readonly mustChangePassword: boolean
}

/** Whoever calls a public route. */
export const ANONYMOUS: Caller = {
  actor: 'nobody',
  userId: null,
  vaults: [],
  operatorRoles: [],
  mustChangePassword: false,
}

/** Refuses a caller with a one-time password, and one that has not the role at all; which vault it is for is settled by `requireVault`. */
export function requireRole(caller: Caller, needed: Needed): void {
  if (caller.mustChangePassword && needed !== 'signed_in')
    throw new RequestRefused({ code: 'password_change_required' })
  const has =
    needed === 'public' ||
    (needed === 'signed_in' && caller.userId !== null) ||
    holds(caller.operatorRoles, needed) ||
    caller.vaults.some(({ roles }) => holds(roles, needed))
  if (has) return
  const roles = [...caller.operatorRoles, ...caller.vaults.flatMap((vault) => vault.roles)]
  throw needed === 'signed_in'
    ? new RequestRefused({
        code: 'insufficient_role',
        message: 'API keys have no password. Sign in as a user.',
      })
    : lacking(needed, roles)
}

const holds = (roles: readonly string[], needed: Needed): boolean =>
  [needed].flat().every((role) => roles.includes(role))

/** Returns what a caller may see of a vault's resources: their content, and links that let others change them. */
export function visibilityFor(
  caller: Caller,
  vaultId: string,
): { readonly content: boolean; readonly links: boolean } {
  const roles = caller.vaults.find(({ id }) => id === vaultId)?.roles ?? []
  return { content: holds(roles, 'api_read'), links: holds(roles, 'api_write') }
}

const IN_FIRST = ' in the vault (your first vault unless vault_id names another)'

function lacking(needed: Needed, roles: readonly string[], where = ''): RequestRefused {
  const own = [...new Set(roles)].join(', ') || 'no role'
  const named = typeof needed === 'string' ? `role ${needed}` : `roles ${needed.join(' and ')}`
  return new RequestRefused({
    code: 'insufficient_role',
    message: `This requires the ${named}${where}. The credentials have ${own}.`,
  })
}

/**
 * The vault that a request is about: the one that its `vault_id` names, else the caller's first. Another vault than the
 * caller's is not found; one in which the caller lacks the role is refused.
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

/**
 * The vault of what a request names by its id: any vault of the caller's may hold it. Where none does, it
 * is a vault in which the caller has the role, and so does not hold it either.
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
