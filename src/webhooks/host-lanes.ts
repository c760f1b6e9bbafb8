/** A host gets only so many requests at once; the others wait their turn. */
import pLimit, { type LimitFunction } from 'p-limit'

const MAX_PER_HOST = 50

interface HostLanes {
  /** Calls `send` when it is the URL's turn, unless it is no longer `wanted` by then: that gives null. */
  run<T>(url: string, wanted: () => boolean, send: () => Promise<T>): Promise<T | null>
}

export function createHostLanes(maxPerHost = MAX_PER_HOST): HostLanes {
  const lanes = new Map<string, LimitFunction>()
  return {
    async run(url, wanted, send) {
      const { host } = new URL(url)
      const lane = lanes.get(host) ?? pLimit(maxPerHost)
      lanes.set(host, lane)
      try {
        return await lane(async () => (wanted() ? send() : null))
      } finally {
        if (lane.activeCount + lane.pendingCount === 0) lanes.delete(host)
      }
    },
  }
}
