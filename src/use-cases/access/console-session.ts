/** Use cases for signing in to the console, changing the password and signing out. */
import {
  closeConsoleSession,
  findConsoleSession,
  type ProviderSession,
  startConsoleSession,
} from '../../db/access/console-session.ts'
import { clientActor, operatorActor } from '../../domain/access/access.ts'
import type { Grant, Granted } from '../../domain/access/grant.ts'
import { type Seat, seatsOf } from '../../domain/access/seat.ts'
import type { User } from '../../domain/access/user.ts'
import { newToken } from '../../storage/random.ts'
import type { Deps, WithDb } from '../base/deps.ts'
import { changePassword, type OwnAccount, type PasswordChange } from './password.ts'
import { acceptsPassword, type Credentials, type SignInRefusal, signIn } from './sign-in.ts'

/** An operator or a vault's own user with a console session. */
export interface ConsoleUser extends Granted {
  readonly userId: string
  readonly actor: string
  readonly email: string
  /** The grants of an operator, or none until the user has replaced a one-time password. */
  readonly grants: readonly Grant[]
  /** The vaults that the user can see as their client, or none until the user has replaced a one-time password. */
  readonly seats: readonly Seat[]
  readonly mustChoosePassword: boolean
  readonly isSingleSignOn: boolean
  readonly hasPassword: boolean
  /** The CSRF token of forms. It remains the same after the next sign-in, so that open forms stay valid. */
  readonly csrf: string
}

/**
 * Signs in. Returns the token of the new session, or the refusal. Throws LimitReached after too many failed attempts.
 */
export async function signInToConsole(
  deps: Pick<Deps, 'db' | 'signIns' | 'config'>,
  credentials: Credentials,
  ip: string,
): Promise<{ readonly token: string } | { readonly refused: SignInRefusal }> {
  const signedIn = await signIn(deps, 'console', credentials, ip)
  return 'refused' in signedIn ? signedIn : { token: await startSession(deps, signedIn.user) }
}

/** Changes the password, which revokes all earlier sessions. Returns the token of a new session. */
export const changePasswordInConsole = async (
  deps: Pick<Deps, 'db' | 'signIns' | 'spend'>,
  account: OwnAccount,
  change: PasswordChange,
): Promise<string> => startSession(deps, await changePassword(deps, account, change))

/** Opens a session and returns its token. `provider` is null for a sign-in with a password. */
export async function startSession({ db }: WithDb, user: User, provider: ProviderSession | null = null) {
  const token = newToken()
  await startConsoleSession(db, token, user, provider)
  return token
}

/**
 * Returns the user of a session, or null if the session has expired or its user is neither an operator nor has a seat.
 */
export async function findConsoleUser(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  token: string,
): Promise<ConsoleUser | null> {
  const user = await findConsoleSession(db, token)
  if (!user) return null
  const { id, email, tokenVersion, isSingleSignOn } = user
  const grants = isSingleSignOn || acceptsPassword(config, user) ? user.effectiveGrants : []
  const seats = seatsOf(user.vaults)
  if (grants.length + seats.length === 0) return null
  const mustChoosePassword = user.passwordExpiresAt !== null
  return {
    userId: id,
    actor: grants.length > 0 ? operatorActor(id) : clientActor(id),
    email,
    // With a one-time password, the user can only set a new password.
    grants: mustChoosePassword ? [] : grants,
    seats: mustChoosePassword ? [] : seats,
    mustChoosePassword,
    isSingleSignOn,
    hasPassword: user.hasPassword,
    csrf: db.encryption.hash(`${id} ${tokenVersion}`, 'console_csrf').toString('base64url'),
  }
}

export const signOutOfConsole = ({ db }: WithDb, token: string): Promise<void> =>
  closeConsoleSession(db, token)
