/** Converts times from and to Unix seconds, in which bodies, forms, stored reviews and selected rows contain them. */

export const unixSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000)

/** Returns the time, or the value itself if it is null or undefined. */
export const timeOf = <S extends number | null | undefined>(seconds: S): Date | Exclude<S, number> =>
  typeof seconds === 'number' ? new Date(seconds * 1_000) : (seconds as Exclude<S, number>)
