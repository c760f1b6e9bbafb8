/** Presents a user to administrators. */
import { unixSeconds } from '../../contracts/common.ts'
import { namesOfGrants } from '../../domain/access/grant.ts'
import type { User } from '../../domain/access/user.ts'
import { recordedGrants, type UserWithPassword } from '../../use-cases/access/users.ts'

export const presentUser = (user: User) => ({
  id: user.id,
  email: user.email,
  vaults: user.vaults,
  operator_roles: namesOfGrants(user.operatorGrants),
  operator_grants: recordedGrants(user.operatorGrants),
  otp_required_for_login: user.otpRequiredForLogin,
  password_change_required: user.passwordExpiresAt !== null,
  created_at: unixSeconds(user.createdAt),
})

/** Presents a user with a new one-time password. No later response contains the password. */
export const presentUserWithPassword = ({ oneTimePassword, ...user }: UserWithPassword) => ({
  ...presentUser(user),
  one_time_password: oneTimePassword,
})
