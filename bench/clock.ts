/** Returns a time in milliseconds that processes on one machine can compare. */
export const now = (): number => performance.timeOrigin + performance.now()
