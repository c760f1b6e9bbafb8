/** Use cases for API sessions. Signing in returns an access token, and changing the password returns a new one. */

import type { User } from '../../domain/access/user.ts'
import type { Refusals } from '../../domain/base/errors.ts'
import type { Deps } from '../base/deps.ts'
import type { Audience } from '../credentials/tokens.ts'
import { changePassword, type OwnAccount, type PasswordChange } from './password.ts'
import { type Credentials, type SignInRefusal, signIn } from './sign-in.ts'

export interface TokenSession {
  readonly token: string
  /** When the token expires, in Unix seconds. */
  readonly expiresAt: number
  readonly user: User
}

type SessionDeps = Pick<Deps, 'db' | 'signIns' | 'tokens' | 'config'>

/** Signs in and returns a token or a refusal. Throws LimitReached after too many failed attempts. */
export async function signInForToken(
  deps: SessionDeps,
  audience: Audience,
  credentials: Credentials,
  ip: string,
): Promise<TokenSession | { readonly refused: SignInRefusal }> {
  const signedIn = await signIn(deps, audience, credentials, ip)
  return 'refused' in signedIn ? signedIn : issueToken(deps, audience, signedIn.user)
}

signInForToken.refuses = {
  client: ['too_many_attempts'],
  operator: ['too_many_attempts', 'password_sign_in_off'],
} as const satisfies Record<string, Refusals>

/** Changes the password and returns a new token. Throws LimitReached after too many failed attempts. */
export const changePasswordForToken = async (
  deps: SessionDeps & Pick<Deps, 'spend'>,
  audience: Audience,
  account: OwnAccount,
  change: PasswordChange,
): Promise<TokenSession> => issueToken(deps, audience, await changePassword(deps, account, change))

changePasswordForToken.refuses = ['too_many_attempts'] as const satisfies Refusals

async function issueToken(
  { tokens }: Pick<Deps, 'tokens'>,
  audience: Audience,
  user: User,
): Promise<TokenSession> {
  const { id: userId, tokenVersion: version, vaults } = user
  return {
    ...(await tokens.sign(audience, { userId, version, vaults })),
    user,
  }
}
