/** Writes of many callers go together: what arrives while one write is under way shares the next. */

interface Waiting<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

/** `write` gives a result per item, in order; when it throws, all callers of that write get the error. */
export function createGroupCommit<T, R>(
  write: (items: readonly T[]) => Promise<readonly R[]>,
  { max }: { max: number },
): (item: T) => Promise<R> {
  let waiting: Waiting<T, R>[] = []
  let running = false

  async function drain(): Promise<void> {
    running = true
    // One turn of the event loop: what other callers are about to add can still join.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const group = waiting.slice(0, max)
      waiting = waiting.slice(max)
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
