/** Measures processor time, which other processes do not change. */

/** Returns the processor time of the work in milliseconds. */
export function cpuMsOf(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
