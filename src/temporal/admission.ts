/** How many commands of a process are with Temporal at a time, and which comes next. */

/** Of the time that a command has: whoever has less left may be too late even if it is next. */
const ENOUGH_MS = 1_500
/** What takes longer may wait for a workflow that does not answer, which is no work for anybody. */
const LONGEST_MS = 2_000
/** So many go beyond the others while these do: where everything is slow, more at once would be slower still. */
const MAX_BEYOND = 4

interface Waiting {
  /** By `Date.now()`. */
  readonly until: number
  readonly turn: (isMine: boolean) => void
}

/** Calls `work` when it is its turn; gives null when that has not come `until` then. */
type Admission = <T>(until: number, work: () => Promise<T>) => Promise<T | null>

/**
 * So many at once. Of those that wait the one with the least time goes first, as long as that is enough; else the one with
 * the most. Where more comes than can be done, the oldest have hardly any time left: if they went first, each would leave
 * as little to the next, and all would be too late.
 */
export function createAdmission(atOnce: number, longestMs = LONGEST_MS): Admission {
  /** By the time that they have. */
  const waiting: Waiting[] = []
  let active = 0
  /** Of what is under way without a place. */
  let beyond = 0

  /** Lets go those whose time is over. */
  function next(now: number): Waiting | undefined {
    while (waiting[0] && waiting[0].until <= now) waiting.shift()?.turn(false)
    const [oldest] = waiting
    return oldest && oldest.until - now >= ENOUGH_MS ? waiting.shift() : waiting.pop()
  }

  /** The place that was had is the next one's. */
  function leave(): void {
    const following = next(Date.now())
    if (following) following.turn(true)
    else active -= 1
  }

  return async (until, work) => {
    if (active < atOnce) active += 1
    else {
      const isMine = new Promise<boolean>((turn) => {
        const place = waiting.findLastIndex((each) => each.until <= until) + 1
        waiting.splice(place, 0, { until, turn })
      })
      if (!(await isMine)) return null
    }
    let isBeyond = false
    const overdue = setTimeout(() => {
      if (beyond === MAX_BEYOND) return
      beyond += 1
      isBeyond = true
      leave()
    }, longestMs)
    try {
      return await work()
    } finally {
      clearTimeout(overdue)
      if (isBeyond) beyond -= 1
      else leave()
    }
  }
}
