/** Presents the link to a hosted verification to the client. */
import { unixSeconds } from '../../domain/base/unix-time.ts'
import type { NewLink } from '../../use-cases/creation/verification-process.ts'

export const presentLink = (publicUrl: string, { token, expiresAt, password }: NewLink) => ({
  url: `${publicUrl}/verify/${token}`,
  expires_at: unixSeconds(expiresAt),
  ...(password !== null && { generated_password: password }),
})
