/** A link to hosted verification, as whoever asked for it is told. */

interface Link {
  readonly token: string
  /** Null where none was made. */
  readonly password: string | null
}

export const presentLink = (publicUrl: string, { token, password }: Link) => ({
  url: `${publicUrl}/verify/${token}`,
  ...(password !== null && { generated_password: password }),
})
