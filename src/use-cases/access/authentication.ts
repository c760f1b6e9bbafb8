/** Finds the caller of a request by its API key or access token (specification, "Authentication"). */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { findVaultByApiKey } from '../../db/access/api-key.ts'
import { findTokenVersion } from '../../db/access/user.ts'
import { operatorActor } from '../../domain/access/access.ts'
import type { Deps } from '../deps.ts'
import { apiKeyPrefix, isApiKey } from './api-key-text.ts'
import { ANONYMOUS, type Caller } from './caller.ts'
import type { Audience } from './tokens.ts'

/** What Node.js takes in headers altogether; a token lists its vaults. */
const MAX_TOKEN = 16_384

const KEY_PREFIX = 'gk_'

/** How long a caller is known without asking; whoever is revoked is forgotten at once, by news, where they arrive. */
const KNOWN_MS = 5_000
const MAX_KNOWN = 10_000
/** Strangers at a caller's address do not keep the caller out; the next time counts as the first after a day. */
const FAMILIAR_MS = 86_400_000

/**
 * Reads either form of the header `Authorization`. Returns null if its credential is missing, invalid or expired. Calls
 * `asStranger` before it looks up a credential that it does not know. `asStranger` may throw `rate_limited`, and
 * returns a function that takes the count back.
 */
export type Authenticate = (
  audience: Audience,
  authorization: string | undefined,
  asStranger: () => Promise<() => void>,
) => Promise<Caller | null>

interface Found {
  readonly caller: Caller
  /** When the credential expires by itself, in milliseconds. */
  readonly expiresAt: number
}

export function createAuthentication({ db, tokens, config }: Pick<Deps, 'db' | 'tokens' | 'config'>): {
  authenticate: Authenticate
  forget: () => void
} {
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

  /** Hashes of credentials that were good when they were last looked up. */
  const familiar = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: FAMILIAR_MS })
  const looking = new Set<string>()

  async function findKey(audience: Audience, key: string): Promise<Found | null> {
    // A key of the other environment is worth nothing here, even with the other one's data.
    const isOurs = audience === 'client' && key.startsWith(apiKeyPrefix(config.ENVIRONMENT))
    const opened = isOurs && isApiKey(key) ? await findVaultByApiKey(db, key) : null
    if (!opened) return null
    const { id, vault, expiresAt } = opened
    return {
      caller: { ...ANONYMOUS, actor: `api_key:${id}`, vaults: [vault] },
      expiresAt: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    }
  }

  async function findUser(audience: Audience, token: string): Promise<Found | null> {
    const claims = await tokens.verify(audience, token)
    const standing = claims && (await findTokenVersion(db, claims.userId))
    if (!standing || claims.version !== standing.version) return null
    const { userId, vaults, operatorRoles } = claims
    const { mustChangePassword } = standing
    const actor = audience === 'client' ? `user:${userId}` : operatorActor(userId)
    return {
      caller: { actor, userId, vaults, operatorRoles, mustChangePassword },
      expiresAt: claims.expiresAt * 1_000,
    }
  }

  const authenticate: Authenticate = async (audience, authorization, asStranger) => {
    const token = (authorization ?? '').replace(/^Bearer +/i, '').trim()
    if (token === '' || token.length > MAX_TOKEN) {
      await asStranger()
      return null
    }
    const key = createHash('sha256').update(`${audience}:${token}`).digest('base64')
    // Of a new caller's first requests one is counted: the others wait for what it finds.
    const isFirst = !familiar.has(key) && !looking.has(key)
    if (isFirst) looking.add(key)
    try {
      const forgive = isFirst ? await asStranger() : null
      const caller = (await known.fetch(key, { context: { audience, token } })) ?? null
      if (caller) {
        familiar.set(key, true)
        forgive?.()
      } else {
        familiar.delete(key)
        if (!isFirst) await asStranger()
      }
      return caller
    } finally {
      if (isFirst) looking.delete(key)
    }
  }
  // What is being looked up just now is answered, and not kept.
  return { authenticate, forget: () => known.clear() }
}
