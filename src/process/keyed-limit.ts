/** A lane for each key: first come, first served in each, and none waits for another. */
import pLimit, { type LimitFunction } from 'p-limit'

type KeyedLimit = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** So many at once in each lane; a lane that is empty takes no memory. */
export function createKeyedLimit(maxConcurrent: number): KeyedLimit {
  const lanes = new Map<string, LimitFunction>()
  return async (key, work) => {
    const lane = lanes.get(key) ?? pLimit(maxConcurrent)
    lanes.set(key, lane)
    try {
      return await lane(work)
    } finally {
      // Those who end late find another lane of this key.
      if (lane.activeCount + lane.pendingCount === 0 && lanes.get(key) === lane) lanes.delete(key)
    }
  }
}
