/** Measures processor time, which other processes do not change. */

/** Returns the processor time that this thread has used, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Returns the processor time of the work in milliseconds. */
export function cpuMsOf(work: () => void): number {
  const before = cpuMs()
  work()
  return cpuMs() - before
}
