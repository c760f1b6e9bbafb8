/** Which hosts keep deliveries waiting: a process's memory of what it is sending and how long that took. */

/** A local attempt holds its batch's workflow task open, so only a few may wait for one host. */
const MAX_IN_FLIGHT = 4
const SLOW_MS = 1_000
/** After this time a slow host is given another chance. */
const REMEMBERED_MS = 60_000

export interface HostLoad {
  /** Whether a delivery to these URLs should not wait here. */
  isSlow(urls: readonly string[]): boolean
  /** Counts the attempt while it lasts, and remembers the host when it was slow. */
  watch<T>(url: string, attempt: () => Promise<T>): Promise<T>
}

export function createHostLoad(now: () => number = Date.now): HostLoad {
  const inFlight = new Map<string, number>()
  const slowUntil = new Map<string, number>()
  const hostOf = (url: string) => new URL(url).host

  return {
    isSlow: (urls) =>
      urls.some((url) => {
        const host = hostOf(url)
        return (inFlight.get(host) ?? 0) >= MAX_IN_FLIGHT || (slowUntil.get(host) ?? 0) > now()
      }),
    async watch(url, attempt) {
      const host = hostOf(url)
      const started = now()
      inFlight.set(host, (inFlight.get(host) ?? 0) + 1)
      try {
        return await attempt()
      } finally {
        const left = (inFlight.get(host) ?? 1) - 1
        if (left === 0) inFlight.delete(host)
        else inFlight.set(host, left)
        if (now() - started > SLOW_MS) slowUntil.set(host, now() + REMEMBERED_MS)
        else slowUntil.delete(host)
      }
    },
  }
}
