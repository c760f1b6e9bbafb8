/** Limits concurrent work per key. The work for a key runs in order of arrival and does not delay other keys. */
import pLimit, { type LimitFunction } from 'p-limit'

type KeyedLimit = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * Creates the limit, which runs at most `maxConcurrent` tasks per key at a time. A key without work takes no memory.
 */
export function createKeyedLimit(maxConcurrent: number): KeyedLimit {
  const lanes = new Map<string, LimitFunction>()
  return async (key, work) => {
    const lane = lanes.get(key) ?? pLimit(maxConcurrent)
    lanes.set(key, lane)
    try {
      return await lane(work)
    } finally {
      // When work finishes late, its key may already have a newer queue.
      if (lane.activeCount + lane.pendingCount === 0 && lanes.get(key) === lane) lanes.delete(key)
    }
  }
}
