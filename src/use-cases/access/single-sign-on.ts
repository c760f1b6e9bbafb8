/** Use cases for single sign-on: operators sign in at the OpenID provider, which states their groups. */

import { v7 as newId } from 'uuid'
import { recordAudit } from '../../db/access/audit.ts'
import { setFlag, takeFlag } from '../../db/access/counter.ts'
import { findMappedGroups, readMemberships, replaceMemberships } from '../../db/access/operator-group.ts'
import { findUserIdBySubject, hasIdentity, insertIdentity } from '../../db/access/operator-identity.ts'
import { findUserByEmail, getUserForUpdate, insertUser, revokeUserTokens } from '../../db/access/user.ts'
import { type Database, transaction, violatedConstraint } from '../../db/connection/database.ts'
import { operatorActor } from '../../domain/access/access.ts'
import { auditChanges } from '../../domain/access/audit.ts'
import type { User } from '../../domain/access/user.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { Identity } from '../../oidc/claims.ts'
import { ProviderUnavailable } from '../../oidc/fetch.ts'
import { type IdentityProvider, SignInRejected, type SignInSecrets } from '../../oidc/identity-provider.ts'
import { newToken } from '../../storage/random.ts'
import type { Deps } from '../deps.ts'
import { shownAddress } from './address.ts'
import { openSession } from './console-session.ts'
import { getUser, recordUser } from './users.ts'

/** The time in which an operator must sign in at the provider. */
export const PENDING_SECONDS = 600

/**
 * `stale`: not started in this browser, too old or already used. `failed`: a response is not valid. `no_group`: no group
 * grants a role. `no_email`: the provider states no verified email. `account_exists`: the email belongs to an account
 * that has its own way to sign in. `ended`: the operator's access has ended.
 */
export type SingleSignOnRefusal =
  | 'stale'
  | 'failed'
  | 'unavailable'
  | 'no_group'
  | 'no_email'
  | 'account_exists'
  | 'ended'

type SsoDeps = Pick<Deps, 'db' | 'config' | 'log' | 'identityProvider'>

interface Started {
  /** The secret of the browser, for its cookie. */
  readonly token: string
  readonly url: URL
}

/** Derived from the browser's secret, so that nothing else needs to be stored. */
function secretsOf({ encryption }: Database, token: string): SignInSecrets {
  const derive = (purpose: string) => encryption.hash(token, purpose).toString('base64url')
  return { state: derive('sso_state'), nonce: derive('sso_nonce'), codeVerifier: derive('sso_verifier') }
}

const pendingFlag = ({ encryption }: Database, token: string, userId = ''): string =>
  `sso:${encryption.hash(`${token} ${userId}`, 'sso_pending').toString('base64url')}`

/** Starts a sign-in. With a `userId`, it connects the identity to this user instead. */
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

/** Exchanges the provider's response for a session. Each response is accepted once. */
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
  const admitted = await admit(db, identity, ip)
  if ('refused' in admitted) return admitted
  const { user } = admitted
  const by = { actor: operatorActor(user.id), address: shownAddress(ip) }
  await recordAudit(db, by, {
    action: 'operator_signed_in',
    subject: 'user',
    subjectId: user.id,
    changes: { method: { to: 'single_sign_on' } },
  })
  const session = { id: identity.session ?? identity.subject, hours: config.OIDC_SESSION_HOURS }
  return { session: await openSession(deps, user, session) }
}

/** Returns the result, or a refusal if the provider is unavailable or its response is not valid. */
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

type Admitted = { readonly user: User } | { readonly refused: SingleSignOnRefusal }

/** Finds or creates the operator, and replaces the groups. Two first sign-ins at the same time create one operator. */
export const admit = (db: Database, identity: Identity, ip: string): Promise<Admitted> => {
  const attempt = () => transaction(db, (tx) => admitIn(tx, identity, shownAddress(ip)))
  return attempt().catch((error: unknown) => {
    if (violatedConstraint(error) === undefined) throw error
    return attempt()
  })
}

async function admitIn(tx: Database, identity: Identity, address: string | null): Promise<Admitted> {
  const groups = await findMappedGroups(tx, identity.groups)
  const known = await findUserIdBySubject(tx, identity)
  if (known !== null) return admitKnown(tx, known, groups, address)
  const { email } = identity
  if (email === null) return { refused: 'no_email' }
  const existing = await findUserByEmail(tx, email)
  if (existing) {
    // An account with a password may have more rights than the provider may grant.
    const isFree = existing.passwordHash === null && !(await hasIdentity(tx, existing.id))
    if (!isFree) return { refused: 'account_exists' }
    await insertIdentity(tx, existing.id, identity)
    return admitKnown(tx, existing.id, groups, address)
  }
  if (groups.length === 0) return { refused: 'no_group' }
  const id = newId()
  await insertUser(tx, { id, email, passwordHash: null, operatorRoles: [], vaults: [] })
  await insertIdentity(tx, id, identity)
  await replaceMemberships(tx, id, groups)
  const by = { actor: operatorActor(id), address }
  await recordUser(tx, by, 'user_created', id, auditChanges({}, { method: 'single_sign_on', groups }))
  return { user: await getUser({ db: tx }, id) }
}

async function admitKnown(
  tx: Database,
  id: string,
  groups: readonly string[],
  address: string | null,
): Promise<Admitted> {
  await getUserForUpdate(tx, id)
  const { accessEndsAt } = await getUser({ db: tx }, id)
  if (accessEndsAt !== null && accessEndsAt.getTime() <= Date.now()) return { refused: 'ended' }
  const before = await readMemberships(tx, id)
  const changes = auditChanges({ groups: before }, { groups })
  if (Object.keys(changes).length > 0) {
    await replaceMemberships(tx, id, groups)
    // Tokens list the roles.
    await revokeUserTokens(tx, id)
    await recordUser(tx, { actor: operatorActor(id), address }, 'user_groups_changed', id, changes)
  }
  const user = await getUser({ db: tx }, id)
  return user.effectiveRoles.length > 0 ? { user } : { refused: 'no_group' }
}
