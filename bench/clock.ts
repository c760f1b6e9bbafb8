/** A clock in milliseconds that processes of one machine can compare. */
export const now = (): number => performance.timeOrigin + performance.now()
