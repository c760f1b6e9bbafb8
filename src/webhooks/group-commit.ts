/** Combines the writes of many callers. Items that arrive during a write share the next write. */

interface Waiting<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

interface GroupCommitOptions<T> {
  /** The maximum weight of one write, as counted by `weigh`. A heavier item gets a separate write. */
  readonly max: number
  readonly weigh?: (item: T) => number
}

/**
 * Creates the function that adds an item. `write` returns a result for each item, in order. If it throws, all callers
 * of that write get the error.
 */
export function createGroupCommit<T, R>(
  write: (items: readonly T[]) => Promise<readonly R[]>,
  { max, weigh = () => 1 }: GroupCommitOptions<T>,
): (item: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = []
  let isRunning = false

  async function drain(): Promise<void> {
    isRunning = true
    // Waits for one turn of the event loop, so that the items of other callers can join.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      let [count, weight] = [0, 0]
      for (const { item } of waiting) {
        weight += weigh(item)
        if (count > 0 && weight > max) break
        count += 1
      }
      const group = waiting.slice(0, count)
      waiting = waiting.slice(count)
      try {
        const results = await write(group.map(({ item }) => item))
        group.forEach(({ resolve }, i) => {
          resolve(results[i] as R)
        })
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    isRunning = false
  }
  return (item) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!isRunning) void drain()
    })
}
