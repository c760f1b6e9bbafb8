/** Who calls: an API key or an access token, in either form of the header (specification, "Authentication"). */
import type { Request } from 'express'
import type { Audience } from '../access/tokens.ts'
import { findApiKey, type VaultAccess } from '../db/access.ts'
import { RequestRefused } from '../domain/errors.ts'
import { apiKeyPrefix } from '../storage/random.ts'
import type { AppDeps } from './deps.ts'

export interface Caller {
  /** `api_key:<id>`, `user:<id>` or `operator:<id>`: how timelines name the caller. */
  readonly actor: string
  readonly userId: string | null
  /** The vaults a client can reach; the first one is the default. */
  readonly vaults: readonly VaultAccess[]
  readonly operatorRoles: readonly string[]
}

/** Whoever calls a public route. */
export const NOBODY: Caller = { actor: 'nobody', userId: null, vaults: [], operatorRoles: [] }

/** What Node.js takes in headers altogether; a token lists its vaults. */
const MAX_TOKEN = 16_384

const KEY_PREFIX = 'gk_'

/** Null when the token is missing, invalid or expired. */
export async function authenticate(
  { db, tokens, config }: Pick<AppDeps, 'db' | 'tokens' | 'config'>,
  audience: Audience,
  req: Request,
): Promise<Caller | null> {
  const token = (req.headers.authorization ?? '').replace(/^Bearer +/i, '').trim()
  if (token === '' || token.length > MAX_TOKEN) return null
  if (token.startsWith(KEY_PREFIX)) {
    // A key of the other environment is worth nothing here, even with the other one's data.
    const isOurs = audience === 'client' && token.startsWith(apiKeyPrefix(config.ENVIRONMENT))
    const key = isOurs ? await findApiKey(db, token) : null
    return key && { ...NOBODY, actor: `api_key:${key.id}`, vaults: [key.vault] }
  }
  const claims = await tokens.verify(audience, token)
  if (!claims) return null
  const kind = audience === 'client' ? 'user' : 'operator'
  return { ...claims, actor: `${kind}:${claims.userId}` }
}

/** Whether the caller has the role at all; which vault it is for is settled by `vaultFor`. */
export const hasRole = (caller: Caller, role: string): boolean =>
  caller.operatorRoles.includes(role) || caller.vaults.some((vault) => vault.roles.includes(role))

/**
 * The vault that a request is about: the one it names, else the caller's first. Another vault than the
 * caller's is not found; one in which the caller lacks the role is refused.
 */
export function vaultFor(caller: Caller, role: string, vaultId?: string): string {
  const vault = vaultId === undefined ? caller.vaults[0] : caller.vaults.find(({ id }) => id === vaultId)
  if (!vault) throw new RequestRefused({ code: 'not_found' })
  if (!vault.roles.includes(role)) throw new RequestRefused({ code: 'insufficient_role' })
  return vault.id
}
