/** Writes of many callers go together: what arrives while one write is under way shares the next. */

interface Waiting<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

interface GroupCommitOptions<T> {
  /** The most that goes together, as `weigh` counts it; one item goes alone whatever it weighs. */
  readonly max: number
  readonly weigh?: (item: T) => number
}

/** `write` gives a result per item, in order; when it throws, all callers of that write get the error. */
export function createGroupCommit<T, R>(
  write: (items: readonly T[]) => Promise<readonly R[]>,
  { max, weigh = () => 1 }: GroupCommitOptions<T>,
): (item: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = []
  let running = false

  async function drain(): Promise<void> {
    running = true
    // One turn of the event loop: what other callers are about to add can still join.
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
    running = false
  }
  return (item) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!running) void drain()
    })
}
