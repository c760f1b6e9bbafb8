/** A caller, and what its roles open. */
import type { ClientRole, OperatorRole, VaultAccess } from '../../domain/access/access.ts'
import { ERRORS, RequestRefused } from '../../domain/errors.ts'

/**
 * What a route asks for; `signed_in` is every user and operator with a token: API keys belong to nobody. It opens the
 * change of the password alone.
 */
export type Role = ClientRole | OperatorRole | 'signed_in' | 'public'

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
export const NOBODY: Caller = {
  actor: 'nobody',
  userId: null,
  vaults: [],
  operatorRoles: [],
  mustChangePassword: false,
}

/** Refuses a caller with a one-time password, and one that has not the role at all; which vault it is for is settled by `vaultFor`. */
export function requireRole(caller: Caller, role: Role): void {
  if (caller.mustChangePassword && role !== 'signed_in')
    throw new RequestRefused({ code: 'password_change_required' })
  const has =
    role === 'public' ||
    (role === 'signed_in' && caller.userId !== null) ||
    caller.operatorRoles.includes(role) ||
    caller.vaults.some((vault) => vault.roles.includes(role))
  if (has) return
  const roles = [...caller.operatorRoles, ...caller.vaults.flatMap((vault) => vault.roles)]
  throw role === 'signed_in'
    ? new RequestRefused({
        code: 'insufficient_role',
        message: 'API keys have no password: sign in as a user.',
      })
    : lacking(role, roles)
}

const IN_FIRST = ' in the vault, which is your first one unless vault_id names another'

function lacking(role: string, roles: readonly string[], where = ''): RequestRefused {
  const own = [...new Set(roles)].join(', ') || 'no role'
  return new RequestRefused({
    code: 'insufficient_role',
    message: `This needs the role ${role}${where}; these credentials have ${own}.`,
  })
}

/**
 * The vault that a request is about: the one that its `vault_id` names, else the caller's first. Another vault than the
 * caller's is not found; one in which the caller lacks the role is refused.
 */
export function vaultFor(caller: Caller, role: string, vaultId?: string): string {
  const vault = vaultId === undefined ? caller.vaults[0] : caller.vaults.find(({ id }) => id === vaultId)
  if (!vault) {
    const message = `${ERRORS.not_found.message}: there is no vault of this id that you can reach.`
    throw new RequestRefused({ code: 'not_found', ...(vaultId !== undefined && { message }) })
  }
  if (!vault.roles.includes(role)) {
    const isElsewhere = vaultId === undefined && caller.vaults.some(({ roles }) => roles.includes(role))
    throw lacking(role, vault.roles, isElsewhere ? IN_FIRST : ' in this vault')
  }
  return vault.id
}

/**
 * The vault of what a request names by its id: any vault of the caller's may hold it. Where none does, it
 * is a vault in which the caller has the role, and so does not hold it either.
 */
export async function vaultHolding(
  caller: Caller,
  role: string,
  findVault: () => Promise<string | null>,
): Promise<string> {
  const vaultId = caller.vaults.length > 1 ? await findVault() : caller.vaults[0]?.id
  const holding = caller.vaults.find(({ id }) => id === vaultId)
  return vaultFor(caller, role, (holding ?? caller.vaults.find(({ roles }) => roles.includes(role)))?.id)
}
