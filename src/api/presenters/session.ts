/** Presents the session after signing in or changing the password. */
import { namesOfGrants } from '../../domain/access/grant.ts'
import type { TokenSession } from '../../use-cases/access/token-session.ts'
import { recordedGrants } from '../../use-cases/access/users.ts'
import type { Audience } from '../../use-cases/credentials/tokens.ts'

export const presentSession = (audience: Audience, { token, expiresAt, user }: TokenSession) => ({
  access_token: token,
  expires_at: expiresAt,
  user: {
    id: user.id,
    email: user.email,
    ...(user.passwordExpiresAt && { password_change_required: true as const }),
  },
  vaults: user.vaults,
  ...(audience === 'operator' && {
    operator_roles: namesOfGrants(user.effectiveGrants),
    operator_grants: recordedGrants(user.effectiveGrants),
  }),
})
