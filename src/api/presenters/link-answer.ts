/** A link to hosted verification, as whoever asked for it is told. */

/** `password` is null where none was made. */
export const presentLink = (publicUrl: string, token: string, password: string | null) => ({
  data: {
    url: `${publicUrl}/verify/${token}`,
    ...(password !== null && { generated_password: password }),
  },
})
