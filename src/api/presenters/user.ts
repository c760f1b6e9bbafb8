/** Presents a user to administrators. */
import { presenterOf } from '../../contracts/record.ts'
import { userResponse } from '../../contracts/user.ts'
import { namesOfGrants } from '../../domain/access/grant.ts'
import type { User } from '../../domain/access/user.ts'
import { recordedGrants, type UserWithPassword } from '../../use-cases/access/users.ts'

const present = presenterOf(userResponse.shape.data.omit({ one_time_password: true }))

export const presentUser = (user: User) =>
  present({
    ...user,
    operatorRoles: namesOfGrants(user.operatorGrants),
    operatorGrants: recordedGrants(user.operatorGrants),
    passwordChangeRequired: user.passwordExpiresAt !== null,
  })

/** Presents a user with a new one-time password. No later response contains the password. */
export const presentUserWithPassword = ({ oneTimePassword, ...user }: UserWithPassword) => ({
  ...presentUser(user),
  one_time_password: oneTimePassword,
})
