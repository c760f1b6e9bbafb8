/** Sessions of the console: opened by signing in, opened again after a change of the password, and closed. */
import {
  closeConsoleSession,
  findConsoleSession,
  openConsoleSession,
} from '../../db/access/console-session.ts'
import { operatorActor } from '../../domain/access/access.ts'
import type { User } from '../../domain/access/user.ts'
import { newToken } from '../../storage/random.ts'
import type { Deps } from '../deps.ts'
import { changePassword, type OwnAccount, type PasswordChange } from './password.ts'
import { type Credentials, type SignInRefusal, signIn } from './sign-in.ts'

/** An operator who is signed in to the console. */
export interface ConsoleOperator {
  readonly userId: string
  /** How timelines name the operator. */
  readonly actor: string
  /** None before the operator has a password of their own. */
  readonly roles: readonly string[]
  readonly mustChoosePassword: boolean
  /** The token of forms. It stays the same after signing in again, so that a form that is open can still be sent. */
  readonly csrf: string
}

/** Returns the token of the new session. Throws LimitReached after too many failed attempts. */
export async function signInToConsole(
  deps: Pick<Deps, 'db' | 'signIns'>,
  credentials: Credentials,
  ip: string,
): Promise<{ readonly token: string } | { readonly refused: SignInRefusal }> {
  const signedIn = await signIn(deps, 'operator', credentials, ip)
  return 'refused' in signedIn ? signedIn : { token: await openSession(deps, signedIn.user) }
}

/** Ends all earlier sessions, and returns the token of a new one. */
export const changePasswordInConsole = async (
  deps: Pick<Deps, 'db' | 'signIns' | 'spend'>,
  account: OwnAccount,
  change: PasswordChange,
): Promise<string> => openSession(deps, await changePassword(deps, account, change))

async function openSession({ db }: Pick<Deps, 'db'>, user: User): Promise<string> {
  const token = newToken()
  await openConsoleSession(db, token, user)
  return token
}

/** Returns null if the session has ended, or if its user is not an operator. */
export async function findConsoleOperator(
  { db }: Pick<Deps, 'db'>,
  token: string,
): Promise<ConsoleOperator | null> {
  const user = await findConsoleSession(db, token)
  if (!user || user.operatorRoles.length === 0) return null
  const { id, tokenVersion } = user
  const mustChoosePassword = user.passwordExpiresAt !== null
  return {
    userId: id,
    actor: operatorActor(id),
    // A one-time password only opens the way to another password.
    roles: mustChoosePassword ? [] : user.operatorRoles,
    mustChoosePassword,
    csrf: db.encryption.hash(`${id} ${tokenVersion}`, 'console_csrf').toString('base64url'),
  }
}

export const signOutOfConsole = ({ db }: Pick<Deps, 'db'>, token: string): Promise<void> =>
  closeConsoleSession(db, token)
