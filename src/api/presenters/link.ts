/** Presents the link to a hosted verification to the client. */
import { unixSeconds } from '../../contracts/common.ts'

interface Link {
  readonly token: string
  readonly expiresAt: Date
  /** The password of the form, or null if none was created. */
  readonly password: string | null
}

export const presentLink = (publicUrl: string, { token, expiresAt, password }: Link) => ({
  url: `${publicUrl}/verify/${token}`,
  expires_at: unixSeconds(expiresAt),
  ...(password !== null && { generated_password: password }),
})
