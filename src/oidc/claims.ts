/** Reads the claims in tokens of the OpenID provider. */

/** A person, as the provider describes them. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** The email, or null if there is none or the provider states that it is not verified. */
  readonly email: string | null
  /** Whether the provider states that the email belongs to the person. Many providers do not state it. */
  readonly isEmailVerified: boolean
  /** The IDs with which the provider's directory can name the person. */
  readonly directoryIds: readonly string[]
  readonly groups: readonly string[]
}

/** Excludes control characters and direction marks, with which an email can look like another one. */
const EMAIL = /^[^\s\p{Cc}\p{Cf}\p{Cs}@]{1,64}@[^\s\p{Cc}\p{Cf}\p{Cs}@]{1,255}$/u

type Claims = Readonly<Record<string, unknown>>

/** Returns the person in the claims. `groupsClaim` names a list or, for a single group, a text. */
export function identityOf(claims: Claims, groupsClaim: string): Identity {
  const { iss, sub, oid, email, email_verified: isVerified } = claims
  const groups = [claims[groupsClaim] ?? []].flat()
  return {
    issuer: String(iss),
    subject: String(sub),
    email: typeof email === 'string' && EMAIL.test(email) && String(isVerified) !== 'false' ? email : null,
    isEmailVerified: isVerified === true,
    directoryIds: [sub, oid].filter((id) => typeof id === 'string'),
    groups: groups.filter((group) => typeof group === 'string'),
  }
}

/**
 * Adds the claims of the userinfo endpoint to those of the ID token. That one of them verified an email does not apply to
 * another email of the other. That it did not verify its email always applies, unless the token states the opposite.
 */
export function withUserInfo(claims: Claims, more: Claims): Claims {
  const all = { ...more, ...claims }
  const isAbout = ({ email, email_verified: stated }: Claims) =>
    stated !== undefined && (email === all.email || String(stated) === 'false')
  return { ...all, email_verified: [claims, more].find(isAbout)?.email_verified }
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

export interface Logout {
  readonly id: string
  readonly issuer: string
  readonly subject: string | null
  readonly session: string | null
}

/**
 * Returns the session or person to sign out. Returns null if the claims are not those of a logout token (OpenID Connect
 * Back-Channel Logout, 2.6).
 */
export function logoutOf(claims: Claims): Logout | null {
  const { events, jti, nonce } = claims
  const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, LOGOUT_EVENT)
  const [subject, session] = [textOrNull(claims.sub), textOrNull(claims.sid)]
  if (!isLogout || nonce !== undefined || typeof jti !== 'string' || (subject ?? session) === null)
    return null
  return { id: jti, issuer: String(claims.iss), subject, session }
}

export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** The claims that only ID tokens and logout tokens have. */
const NOT_ACCESS = ['nonce', 'at_hash', 'c_hash', 'events']

/**
 * Returns whether a token is an access token. If the audience is the client ID, an ID token would pass all other
 * checks.
 */
export const isAccessToken = (type: string | undefined, claims: Claims): boolean =>
  /^(?:(?:application\/)?at\+jwt|jwt)?$/i.test(type ?? '') &&
  claims.typ !== 'ID' &&
  NOT_ACCESS.every((name) => claims[name] === undefined)
