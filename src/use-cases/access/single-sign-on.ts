/** Use cases for single sign-on. Operators sign in at the OpenID provider, which states their groups. */

import { closeProviderSessions, closeSingleSignOnSessions } from '../../db/access/console-session.ts'
import { addPoints, setFlag, takeFlag } from '../../db/access/counter.ts'
import { findUserIdBySubject, hasIdentity, insertIdentity } from '../../db/access/operator-identity.ts'
import { getUserForUpdate } from '../../db/access/user.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { RequestRefused } from '../../domain/base/errors.ts'
import { ProviderUnavailable } from '../../oidc/fetch.ts'
import { type IdentityProvider, SignInRejected, type SignInSecrets } from '../../oidc/identity-provider.ts'
import { newToken } from '../../storage/random.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { shownAddress } from '../credentials/address.ts'
import { type ConsoleUser, startSession } from './console-session.ts'
import { type AdmissionRefusal, admit } from './provider-identity.ts'
import { recordSignIn } from './sign-in.ts'
import { recordUser } from './users.ts'

/** The time within which an operator must sign in at the provider. */
export const PENDING_SECONDS = 600

/**
 * `unavailable`: the provider does not respond. `stale`: the sign-in began in another browser, is too old or
 * was already used.
 */
export type SingleSignOnRefusal = AdmissionRefusal | 'stale' | 'failed' | 'unavailable' | 'taken'

type SsoDeps = Pick<Deps, 'db' | 'config' | 'log' | 'identityProvider'>

interface Started {
  /** The secret for the browser's cookie. */
  readonly token: string
  readonly url: URL
}

/** Derives the secrets of a sign-in from the browser's token, so that nothing else needs to be stored. */
function secretsOf({ encryption }: Database, token: string): SignInSecrets {
  const derive = (purpose: string) => encryption.hash(token, purpose).toString('base64url')
  return { state: derive('sso_state'), nonce: derive('sso_nonce'), codeVerifier: derive('sso_verifier') }
}

const pendingFlag = ({ encryption }: Database, token: string, userId = ''): string =>
  `sso:${encryption.hash(`${token} ${userId}`, 'sso_pending').toString('base64url')}`

/** Starts a sign-in. With a `userId`, the sign-in connects the identity to this user instead. */
export async function startSignIn(
  deps: SsoDeps,
  userId?: string,
): Promise<Started | { readonly refused: SingleSignOnRefusal }> {
  const { db } = deps
  const token = newToken()
  const url = await atProvider(deps, (provider) => provider.authorizationUrl(secretsOf(db, token)))
  if ('refused' in url) return url
  await setFlag(db, pendingFlag(db, token, userId), PENDING_SECONDS)
  return { token, url }
}

type Finished = { readonly session: string } | { readonly refused: SingleSignOnRefusal }

/** Exchanges the provider's response for a session. Accepts each response only once. */
export async function finishSignIn(
  deps: SsoDeps,
  token: string,
  response: URLSearchParams,
  ip: string,
): Promise<Finished> {
  const { db, config } = deps
  if (!(await takeFlag(db, pendingFlag(db, token)))) return { refused: 'stale' }
  const identity = await atProvider(deps, (provider) => provider.redeem(response, secretsOf(db, token)))
  if ('refused' in identity) return identity
  const admitted = await admit(db, identity, shownAddress(ip))
  if ('refused' in admitted) return admitted
  const { user } = admitted
  if (user.effectiveGrants.length > 0) await recordSignIn(db, user.id, ip, 'single_sign_on')
  const session = { id: identity.session ?? identity.subject, hours: config.OIDC_SESSION_HOURS }
  return { session: await startSession(deps, user, session) }
}

/**
 * Runs the work, and returns its result. Returns a refusal if the provider is unavailable or its response is not valid.
 */
async function atProvider<T>(
  { log, identityProvider }: SsoDeps,
  work: (provider: IdentityProvider) => Promise<T>,
): Promise<T | { readonly refused: SingleSignOnRefusal }> {
  if (!identityProvider) throw new RequestRefused({ code: 'not_found' })
  try {
    return await work(identityProvider)
  } catch (error) {
    if (error instanceof ProviderUnavailable) return { refused: 'unavailable' as const }
    if (!(error instanceof SignInRejected)) throw error
    log.warn({ code: error.code }, 'a single sign-on failed')
    return { refused: 'failed' as const }
  }
}

/**
 * Connects the identity in the provider's response to the signed-in user. Returns null on success. The person has
 * signed in to both accounts, which proves that both belong to the person.
 */
export async function connectIdentity(
  deps: SsoDeps,
  { userId, actor }: Pick<ConsoleUser, 'userId' | 'actor'>,
  token: string,
  response: URLSearchParams,
  ip: string,
): Promise<SingleSignOnRefusal | null> {
  const { db } = deps
  if (!(await takeFlag(db, pendingFlag(db, token, userId)))) return 'stale'
  const identity = await atProvider(deps, (provider) => provider.redeem(response, secretsOf(db, token)))
  if ('refused' in identity) return identity.refused
  return transaction(db, async (tx) => {
    await getUserForUpdate(tx, userId)
    const owner = await findUserIdBySubject(tx, identity)
    if (owner !== null) return owner === userId ? null : 'taken'
    if (await hasIdentity(tx, userId)) return 'taken'
    await insertIdentity(tx, userId, identity)
    await recordUser(tx, { actor, address: shownAddress(ip) }, 'identity_connected', userId)
    return null
  })
}

export const isConnected = ({ db }: WithDb, userId: string): Promise<boolean> => hasIdentity(db, userId)

/** Closes the sessions that a logout token names. Returns false if the token is not valid or was already used. */
export async function endProviderSessions(deps: SsoDeps, token: string): Promise<boolean> {
  const { db } = deps
  const logout = await atProvider(deps, (provider) => provider.verifyLogoutToken(token))
  if (logout === null) return false
  if ('refused' in logout) throw new RequestRefused({ code: 'service_unavailable' })
  const { id, issuer, subject, session } = logout
  const key = `sso_logout:${db.encryption.hash(id, 'logout_token').toString('base64url')}`
  // In one transaction, so that the provider can repeat a request that failed.
  return transaction(db, async (tx) => {
    if ((await addPoints(tx, key, 1, PENDING_SECONDS)).points > 1) return false
    if (session !== null) await closeProviderSessions(tx, session)
    if (session !== null || subject === null) return true
    const userId = await findUserIdBySubject(tx, { issuer, subject })
    if (userId !== null) await closeSingleSignOnSessions(tx, userId)
    return true
  })
}

/** Returns null if the provider responds with valid metadata, or the code of the problem otherwise. */
export async function checkProvider({ identityProvider }: SsoDeps): Promise<string | null> {
  try {
    await identityProvider?.check()
    return null
  } catch (error) {
    if (error instanceof SignInRejected) return error.code
    if (error instanceof ProviderUnavailable) return 'unavailable'
    throw error
  }
}

/** Returns the URL that ends the session at the provider. Returns null if the provider has none or is unavailable. */
export async function findEndSessionUrl(deps: SsoDeps): Promise<URL | null> {
  const url = await atProvider(deps, (provider) => provider.endSessionUrl())
  return url === null || 'refused' in url ? null : url
}
