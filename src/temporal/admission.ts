/** How many commands of a process are with Temporal at a time, and which comes next. */

/** Of the time that a command has: whoever has less left may be too late even if it is next. */
const ENOUGH_MS = 1_500

interface Waiting {
  /** By `Date.now()`. */
  readonly until: number
  readonly turn: (isMine: boolean) => void
}

/** Calls `work` when it is its turn; gives null when that has not come `until` then. */
type Admission = <T>(until: number, work: () => Promise<T>) => Promise<T | null>

/**
 * So many at once. Of those that wait the oldest goes first, as long as it has time enough; else the newest. Where more
 * comes than can be done, the oldest have hardly any time left: if they went first, each would leave as little to the
 * next, and all would be too late.
 */
export function createAdmission(atOnce: number): Admission {
  /** The oldest first. */
  const waiting: Waiting[] = []
  let active = 0

  /** Lets go those whose time is over. */
  function next(now: number): Waiting | undefined {
    while (waiting[0] && waiting[0].until <= now) waiting.shift()?.turn(false)
    const [oldest] = waiting
    return oldest && oldest.until - now >= ENOUGH_MS ? waiting.shift() : waiting.pop()
  }

  return async (until, work) => {
    if (active < atOnce) active += 1
    else if (!(await new Promise<boolean>((turn) => waiting.push({ until, turn })))) return null
    try {
      return await work()
    } finally {
      const following = next(Date.now())
      if (following) following.turn(true)
      else active -= 1
    }
  }
}
