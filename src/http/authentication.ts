/** Who calls: an API key or an access token, in either form of the header (specification, "Authentication"). */
import { createHash } from 'node:crypto'
import type { Request } from 'express'
import { LRUCache } from 'lru-cache'
import { isApiKey } from '../access/api-key.ts'
import type { Audience } from '../access/tokens.ts'
import { openVault } from '../db/api-key.ts'
import { readTokenVersion } from '../db/user.ts'
import type { VaultAccess } from '../domain/access.ts'
import { RequestRefused } from '../domain/errors.ts'
import type { AppDeps } from './deps.ts'
import type { Route } from './route.ts'

export interface Caller {
  /** `api_key:<id>`, `user:<id>` or `operator:<id>`: how timelines name the caller. */
  readonly actor: string
  readonly userId: string | null
  /** The vaults a client can reach; the first one is the default. */
  readonly vaults: readonly VaultAccess[]
  readonly operatorRoles: readonly string[]
  /** Signed in with a one-time password. */
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

/** What Node.js takes in headers altogether; a token lists its vaults. */
const MAX_TOKEN = 16_384

const KEY_PREFIX = 'gk_'

/** How long a caller is known without asking: what was revoked ends within this time everywhere. */
const KNOWN_MS = 5_000
const MAX_KNOWN = 10_000

/** Null when the token is missing, invalid or expired. */
export type Authenticate = (audience: Audience, req: Request) => Promise<Caller | null>

interface Found {
  readonly caller: Caller
  /** When the credential expires by itself, in milliseconds. */
  readonly expiresAt: number
}

export function createAuthentication({ db, tokens }: Pick<AppDeps, 'db' | 'tokens'>): Authenticate {
  /** By a hash: a token is a secret. Only valid ones are kept; of requests at the same time one looks. */
  const known = new LRUCache<string, Caller, { audience: Audience; token: string }>({
    max: MAX_KNOWN,
    ttl: KNOWN_MS,
    // Whoever is forgotten while being looked up is answered all the same.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { options, context: { audience, token } }) => {
      const began = performance.now()
      const found = token.startsWith(KEY_PREFIX)
        ? await findKey(audience, token)
        : await findUser(audience, token)
      if (!found) return undefined
      // What is seen now may have been revoked since the query was sent.
      const left = Math.min(KNOWN_MS - (performance.now() - began), found.expiresAt - Date.now())
      options.ttl = Math.max(1, left)
      return found.caller
    },
  })

  async function findKey(audience: Audience, key: string): Promise<Found | null> {
    const opened = audience === 'client' && isApiKey(key) ? await openVault(db, key) : null
    if (!opened) return null
    const { id, vault, expiresAt } = opened
    return {
      caller: { ...NOBODY, actor: `api_key:${id}`, vaults: [vault] },
      expiresAt: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    }
  }

  async function findUser(audience: Audience, token: string): Promise<Found | null> {
    const claims = await tokens.verify(audience, token)
    if (!claims || claims.version !== (await readTokenVersion(db, claims.userId))) return null
    const { userId, vaults, operatorRoles, mustChangePassword } = claims
    const actor = `${audience === 'client' ? 'user' : 'operator'}:${userId}`
    return {
      caller: { actor, userId, vaults, operatorRoles, mustChangePassword },
      expiresAt: claims.expiresAt * 1_000,
    }
  }

  return async (audience, req) => {
    const token = (req.headers.authorization ?? '').replace(/^Bearer +/i, '').trim()
    if (token === '' || token.length > MAX_TOKEN) return null
    const key = createHash('sha256').update(`${audience}:${token}`).digest('base64')
    return (await known.fetch(key, { context: { audience, token } })) ?? null
  }
}

/** Refuses a caller that has not the role at all; which vault it is for is settled by `vaultFor`. */
export function requireRole(caller: Caller, role: Route['role']): void {
  const has =
    role === 'public' ||
    (role === 'signed_in' && caller.userId !== null) ||
    caller.operatorRoles.includes(role) ||
    caller.vaults.some((vault) => vault.roles.includes(role))
  if (has) return
  const code = caller.mustChangePassword ? 'password_change_required' : 'insufficient_role'
  throw new RequestRefused({ code })
}

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
