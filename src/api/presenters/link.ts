/** A link to hosted verification, as the client that requested it reads it. */
import { unixSeconds } from '../../contracts/common.ts'

interface Link {
  readonly token: string
  readonly expiresAt: Date
  /** Null where none was made. */
  readonly password: string | null
}

export const presentLink = (publicUrl: string, { token, expiresAt, password }: Link) => ({
  url: `${publicUrl}/verify/${token}`,
  expires_at: unixSeconds(expiresAt),
  ...(password !== null && { generated_password: password }),
})
