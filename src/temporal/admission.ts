/** How many commands of a process are with Temporal at a time, and which comes next. */

interface Waiting {
  /** By `Date.now()`. */
  readonly until: number
  readonly turn: (isMine: boolean) => void
}

/** Calls `work` when it is its turn; gives null when that has not come `until` then. */
type Admission = <T>(until: number, work: () => Promise<T>) => Promise<T | null>

/**
 * So many at once; of those that wait, the newest goes first. Where more comes than can be done, the oldest have hardly
 * any time left: if they went first, each would leave as little to the next, and all would be too late.
 */
export function createAdmission(atOnce: number): Admission {
  /** The oldest first. */
  const waiting: Waiting[] = []
  let active = 0
  return async (until, work) => {
    if (active < atOnce) active += 1
    else {
      for (const now = Date.now(); (waiting[0]?.until ?? now + 1) <= now; ) waiting.shift()?.turn(false)
      if (!(await new Promise<boolean>((turn) => waiting.push({ until, turn })))) return null
    }
    try {
      return await work()
    } finally {
      const next = waiting.pop()
      if (next) next.turn(true)
      else active -= 1
    }
  }
}
