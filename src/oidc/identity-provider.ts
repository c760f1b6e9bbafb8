/** Signs operators in at the OpenID provider, and verifies the provider's tokens. */
import { createRemoteJWKSet, customFetch, decodeJwt, errors, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { Configuration, ServerMetadata } from 'openid-client'
import type { Config } from '../process/config.ts'
import {
  type Identity,
  identityOf,
  isAccessToken,
  type Logout,
  logoutOf,
  textOrNull,
  withUserInfo,
} from './claims.ts'
import { DEADLINE_MS, type Fetch, fetchUntil, isProviderUnavailable, ProviderUnavailable } from './fetch.ts'

/** Thrown if a response or a token of the provider is not valid. `code` states the reason for the log. */
export class SignInRejected extends Error {
  override readonly name = 'SignInRejected'
  readonly code: string

  constructor(code: string, cause: unknown) {
    super('the sign-in is not valid', { cause })
    this.code = code
  }
}

/** The secrets that connect the provider's response to the browser that started the sign-in. */
export interface SignInSecrets {
  readonly state: string
  readonly nonce: string
  /** The code verifier (PKCE, RFC 7636), which has at least 43 characters. */
  readonly codeVerifier: string
}

interface SignedIn extends Identity {
  /** The ID of the provider's session, if it has one. */
  readonly session: string | null
}

/** Each function throws ProviderUnavailable if the provider does not respond within 4 seconds. */
export interface IdentityProvider {
  readonly redirectUri: string
  /** The URL to which the provider redirects after signing out. */
  readonly signOutUri: string
  readonly logoutUri: string
  /** Checks that the provider responds. Throws if its metadata is not valid. */
  check(): Promise<void>
  authorizationUrl(secrets: SignInSecrets): Promise<URL>
  /** Exchanges the code in the provider's response. Throws SignInRejected if the response is not valid. */
  redeem(response: URLSearchParams, secrets: SignInSecrets): Promise<SignedIn>
  /** Returns the person, or null if the token is not a valid access token of the provider. */
  verifyAccessToken(token: string): Promise<(Identity & { readonly expiresAt: number }) | null>
  /** Returns the session or person to sign out, or null if the token is not a valid logout token. */
  verifyLogoutToken(token: string): Promise<Logout | null>
  /** Returns the URL that ends the session at the provider, or null if the provider has no such URL. */
  endSessionUrl(): Promise<URL | null>
}

const CALLBACK_PATH = '/console/sso/callback'
const LOGOUT_PATH = '/console/sso/backchannel_logout'

const METADATA_MS = 600_000
/** The minimum time between two requests for keys, because anyone can send tokens with unknown keys. */
const KEY_COOLDOWN_MS = 10_000
const CLOCK_TOLERANCE_SECONDS = 30
const MAX_LOGOUT_AGE_SECONDS = 300
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
/** The scopes that Gatehouse requests if the provider supports them. */
const SCOPES = ['email', 'profile', 'groups']

interface Discovered {
  readonly metadata: ServerMetadata
  readonly keys: ReturnType<typeof createRemoteJWKSet>
  readonly readAt: number
}

/**
 * Creates the client for the provider, or returns null without `OIDC_ISSUER`. Discovers the provider at the first use,
 * so that Gatehouse can start while the provider is unavailable.
 */
export function createIdentityProvider(config: Config): IdentityProvider | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: secret, PUBLIC_URL } = config
  if (issuer === undefined || clientId === undefined || secret === undefined) return null
  const redirectUri = PUBLIC_URL + CALLBACK_PATH
  const signOutUri = `${PUBLIC_URL}/console/sign_in`
  // Loads the library only if it is needed.
  const library = () => import('openid-client')
  let known: Discovered | null = null
  let discovering: Promise<Discovered> | null = null

  const discoverAgain = async (fetch: Fetch): Promise<Discovered> => {
    const { discovery, allowInsecureRequests, customFetch: fetchWith } = await library()
    const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : []
    const options = { [fetchWith]: fetch, execute }
    const found = await discovery(new URL(issuer), clientId, undefined, undefined, options)
    const metadata = found.serverMetadata()
    if (metadata.jwks_uri === undefined) throw new SignInRejected('no_jwks_uri', undefined)
    const isSame = known?.metadata.jwks_uri === metadata.jwks_uri
    const keys = known && isSame ? known.keys : keysAt(metadata.jwks_uri)
    known = { metadata, keys, readAt: performance.now() }
    return known
  }

  /** Returns the metadata. While the provider is unavailable, returns the earlier metadata. */
  async function discovered(fetch: Fetch): Promise<Discovered> {
    if (known && performance.now() - known.readAt < METADATA_MS) return known
    discovering ??= discoverAgain(fetch).finally(() => {
      discovering = null
    })
    return discovering.catch((error: unknown) => known ?? Promise.reject(error))
  }

  const configurationOf = async ({ metadata }: Discovered, fetch: Fetch): Promise<Configuration> => {
    const oidc = await library()
    // Providers that state no method accept the method that the standard prescribes.
    const isBasic = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true
    const authentication = isBasic ? oidc.ClientSecretBasic(secret) : oidc.ClientSecretPost(secret)
    const configuration = new oidc.Configuration(metadata, clientId, undefined, authentication)
    configuration[oidc.customFetch] = fetch
    if (metadata.issuer.startsWith('http:')) oidc.allowInsecureRequests(configuration)
    return configuration
  }

  const verify = ({ keys, metadata }: Discovered, token: string, options: JWTVerifyOptions) =>
    jwtVerify(token, keys, {
      issuer: metadata.issuer,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      ...options,
    })

  /** Verifies the signature of an ID token. The library verifies only the token's claims. */
  const verifyIdToken = async (provider: Discovered, token: string): Promise<void> => {
    try {
      await verify(provider, token, { audience: clientId })
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      // The token comes from the provider itself, so an unknown key must be new.
      await provider.keys.reload()
      await verify(provider, token, { audience: clientId })
    }
  }

  /** Returns the claims of a token that someone has sent, or null if the token is not valid. */
  const verifySent = (token: string, options: JWTVerifyOptions) =>
    within(async (fetch) => {
      // Reads the issuer before the verification, so that tokens of other issuers cause no requests.
      if (!isFrom(issuer, token)) return null
      return verify(await discovered(fetch), token, options)
    }).catch((error: unknown) => {
      if (error instanceof ProviderUnavailable) throw error
      return null
    })

  return {
    redirectUri,
    signOutUri,
    logoutUri: PUBLIC_URL + LOGOUT_PATH,
    check: () => within(async (fetch) => void (await discoverAgain(fetch))),
    authorizationUrl: ({ state, nonce, codeVerifier }) =>
      within(async (fetch) => {
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library()
        const provider = await discovered(fetch)
        const { scopes_supported: supported = ['email', 'profile'] } = provider.metadata
        return buildAuthorizationUrl(await configurationOf(provider, fetch), {
          redirect_uri: redirectUri,
          scope: ['openid', ...SCOPES.filter((scope) => supported.includes(scope))].join(' '),
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
        })
      }),
    redeem: (response, { state, nonce, codeVerifier }) =>
      within(async (fetch) => {
        const { authorizationCodeGrant, fetchUserInfo } = await library()
        const provider = await discovered(fetch)
        const configuration = await configurationOf(provider, fetch)
        const tokens = await authorizationCodeGrant(configuration, new URL(`${redirectUri}?${response}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims || tokens.id_token === undefined) throw new SignInRejected('no_id_token', undefined)
        await verifyIdToken(provider, tokens.id_token)
        const isComplete = claims.email !== undefined && claims[config.OIDC_ROLE_CLAIM] !== undefined
        const more =
          isComplete || provider.metadata.userinfo_endpoint === undefined
            ? {}
            : await fetchUserInfo(configuration, tokens.access_token, claims.sub)
        return {
          ...identityOf(withUserInfo(claims, more), config.OIDC_ROLE_CLAIM),
          session: textOrNull(claims.sid),
        }
      }),
    async verifyAccessToken(token) {
      const verified = await verifySent(token, {
        audience: config.OIDC_AUDIENCE ?? clientId,
        requiredClaims: ['sub', 'exp'],
      })
      if (!verified || !isAccessToken(verified.protectedHeader.typ, verified.payload)) return null
      const { payload } = verified
      return { ...identityOf(payload, config.OIDC_ROLE_CLAIM), expiresAt: payload.exp ?? 0 }
    },
    async verifyLogoutToken(token) {
      const verified = await verifySent(token, { audience: clientId, maxTokenAge: MAX_LOGOUT_AGE_SECONDS })
      return verified && logoutOf(verified.payload)
    },
    endSessionUrl: () =>
      within(async (fetch) => {
        const { buildEndSessionUrl } = await library()
        const provider = await discovered(fetch)
        if (provider.metadata.end_session_endpoint === undefined) return null
        // Omits `id_token_hint`, because an ID token contains personal data.
        return buildEndSessionUrl(await configurationOf(provider, fetch), {
          post_logout_redirect_uri: signOutUri,
        })
      }),
  }
}

/** Runs the work, and stops waiting for it at the deadline. Throws ProviderUnavailable or SignInRejected. */
async function within<T>(work: (fetch: Fetch) => Promise<T>): Promise<T> {
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  const late = new Promise<never>((_, reject) => {
    deadline.addEventListener('abort', () => reject(new ProviderUnavailable('the provider is too slow')))
  })
  try {
    return await Promise.race([work(fetchUntil(deadline)), late])
  } catch (error) {
    if (isProviderUnavailable(error) || error instanceof errors.JWKSTimeout)
      throw new ProviderUnavailable('the provider is unavailable', { cause: error })
    if (error instanceof SignInRejected) throw error
    const { code, error: stated } = error as { code?: unknown; error?: unknown }
    throw new SignInRejected([code, stated].filter((each) => typeof each === 'string').join(' '), error)
  }
}

const keysAt = (uri: string) =>
  createRemoteJWKSet(new URL(uri), {
    cooldownDuration: KEY_COOLDOWN_MS,
    cacheMaxAge: METADATA_MS,
    timeoutDuration: DEADLINE_MS,
    [customFetch]: (url, options) => fetchUntil(options.signal)(url, options),
  })

function isFrom(issuer: string, token: string): boolean {
  try {
    const { iss } = decodeJwt(token)
    return typeof iss === 'string' && iss.replace(/\/$/, '') === issuer.replace(/\/$/, '')
  } catch {
    return false
  }
}
