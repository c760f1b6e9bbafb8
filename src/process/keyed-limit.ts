/** Limits concurrent work per key, in order of arrival. Keys do not delay each other. */
import pLimit, { type LimitFunction } from 'p-limit'

type KeyedLimit = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Runs at most `maxConcurrent` per key. A key without work takes no memory. */
export function createKeyedLimit(maxConcurrent: number): KeyedLimit {
  const lanes = new Map<string, LimitFunction>()
  return async (key, work) => {
    const lane = lanes.get(key) ?? pLimit(maxConcurrent)
    lanes.set(key, lane)
    try {
      return await lane(work)
    } finally {
      // Work that finishes late may find a newer queue of this key.
      if (lane.activeCount + lane.pendingCount === 0 && lanes.get(key) === lane) lanes.delete(key)
    }
  }
}
