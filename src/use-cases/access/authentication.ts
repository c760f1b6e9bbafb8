/** Finds the caller of a request from its API key or access token (specification, "Authentication"). */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { findVaultByApiKey } from '../../db/access/api-key.ts'
import { findStanding } from '../../db/access/user.ts'
import { apiKeyActor, clientActor, operatorActor } from '../../domain/access/access.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import { ProviderUnavailable } from '../../oidc/fetch.ts'
import type { Deps } from '../base/deps.ts'
import { apiKeyPrefix, isApiKey } from '../credentials/api-key-text.ts'
import type { Audience } from '../credentials/tokens.ts'
import { ANONYMOUS, type Caller } from './caller.ts'
import { admitCaller } from './provider-identity.ts'
import { acceptsPassword } from './sign-in.ts'

/** The maximum length of a token. A token lists its vaults, and Node.js limits the total size of the headers. */
const MAX_TOKEN = 16_384

const KEY_PREFIX = 'gk_'

/** How long a caller is cached. A revocation notice from the database clears the cache immediately. */
const KNOWN_MS = 5_000
const MAX_KNOWN = 10_000
/** A credential that was valid within this time does not count against the limit for unknown callers. */
const REMEMBERED_MS = 86_400_000

/**
 * Reads an `Authorization` header. Returns null if its credential is missing, invalid or expired. Calls `asStranger`
 * before it looks up an unknown credential. `asStranger` may throw `rate_limited`, and returns a function that undoes
 * the count.
 */
export type Authenticate = (
  audience: Audience,
  authorization: string | undefined,
  asStranger: () => Promise<() => void>,
) => Promise<Caller | null>

/** Thrown if a lookup finds no caller, because `lru-cache` treats a lookup without a value as failed. */
class UnknownCredential extends Error {}

interface Found {
  readonly caller: Caller
  /** When the credential expires, in milliseconds since 1970. */
  readonly expiresAt: number
}

/** Returns the credential of an `Authorization` header, or an empty text. */
export const credentialIn = (header = ''): string => header.replace(/^Bearer(\s+|$)/i, '').trim()

export function createAuthentication({
  db,
  tokens,
  config,
  identityProvider,
}: Pick<Deps, 'db' | 'tokens' | 'config' | 'identityProvider'>): {
  authenticate: Authenticate
  forgetCallers: () => void
} {
  /**
   * The callers of valid credentials. The keys are hashes, because credentials are secret. Simultaneous requests share
   * one lookup.
   */
  const known = new LRUCache<string, Caller, { audience: Audience; token: string }>({
    max: MAX_KNOWN,
    ttl: KNOWN_MS,
    // If an entry is removed during its lookup, the waiting requests still get the result.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { options, context: { audience, token } }) => {
      const began = performance.now()
      const found = token.startsWith(KEY_PREFIX)
        ? await findKey(audience, token)
        : ((await findUser(audience, token)) ?? (await findProviderUser(audience, token)))
      if (!found) throw new UnknownCredential()
      // The cache time starts when the query is sent, because the credential may be revoked after that.
      const left = Math.min(KNOWN_MS - (performance.now() - began), found.expiresAt - Date.now())
      options.ttl = Math.max(1, left)
      return found.caller
    },
  })

  /** Hashes of credentials that were valid at their latest lookup. */
  const familiar = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: REMEMBERED_MS })
  const looking = new Set<string>()

  async function findKey(audience: Audience, key: string): Promise<Found | null> {
    // A key of another environment is not valid, even if the database contains it.
    const isOurs = audience === 'client' && key.startsWith(apiKeyPrefix(config.ENVIRONMENT))
    const opened = isOurs && isApiKey(key) ? await findVaultByApiKey(db, key) : null
    if (!opened) return null
    const { id, vault, expiresAt } = opened
    return {
      caller: { ...ANONYMOUS, actor: apiKeyActor(id), vaults: [vault] },
      expiresAt: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    }
  }

  async function findUser(audience: Audience, token: string): Promise<Found | null> {
    const claims = await tokens.verify(audience, token)
    const standing = claims && (await findStanding(db, claims.userId))
    if (!standing || claims.version !== standing.version) return null
    if (audience === 'operator' && !acceptsPassword(config, standing)) return null
    const { userId, vaults } = claims
    const { mustChangePassword } = standing
    const isClient = audience === 'client'
    const actor = isClient ? clientActor(userId) : operatorActor(userId)
    const grants = isClient ? [] : standing.grants
    return {
      caller: { actor, userId, vaults, grants, mustChangePassword },
      expiresAt: claims.expiresAt * 1_000,
    }
  }

  /** Returns the user of an access token of the OpenID provider. Only operators can use such tokens. */
  async function findProviderUser(audience: Audience, token: string): Promise<Found | null> {
    if (audience === 'client' || !identityProvider) return null
    const identity = await identityProvider.verifyAccessToken(token).catch((error: unknown) => {
      if (!(error instanceof ProviderUnavailable)) throw error
      throw new RequestRefused({ code: 'service_unavailable' })
    })
    const user = identity && (await admitCaller(db, identity))
    if (!user) return null
    const { id: userId, effectiveGrants: grants } = user
    const caller = { ...ANONYMOUS, actor: operatorActor(userId), userId, grants }
    return { caller, expiresAt: identity.expiresAt * 1_000 }
  }

  const findCaller = async (key: string, audience: Audience, token: string): Promise<Caller | null> => {
    try {
      return (await known.fetch(key, { context: { audience, token } })) ?? null
    } catch (error) {
      if (error instanceof UnknownCredential) return null
      throw error
    }
  }

  const authenticate: Authenticate = async (audience, authorization, asStranger) => {
    const token = credentialIn(authorization)
    if (token === '' || token.length > MAX_TOKEN) {
      await asStranger()
      return null
    }
    const key = createHash('sha256').update(`${audience}:${token}`).digest('base64')
    // Counts only one of several simultaneous first requests. The others wait for its lookup.
    const isFirst = !familiar.has(key) && !looking.has(key)
    if (isFirst) looking.add(key)
    try {
      const forgive = isFirst ? await asStranger() : null
      const caller = await findCaller(key, audience, token)
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
  // After `forgetCallers`, a lookup in progress returns its result but does not cache it.
  return { authenticate, forgetCallers: () => known.clear() }
}
