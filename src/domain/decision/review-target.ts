/** Rules for the review target of a vault: by when a case that waits should be decided, in hours of working days. */

const HOUR = 3_600_000
const DAY = 24 * HOUR
const WEEK = 7 * DAY
const WORKING_WEEK = 5 * DAY
/** A Monday. Days begin at midnight in UTC. */
const MONDAY = Date.UTC(1970, 0, 5)

/** In hours. A working day has 24, and Saturdays and Sundays have none. */
export const REVIEW_TARGET_HOURS = { min: 1, max: 720, default: 24 }

/** Returns the time on working days since `MONDAY`, in milliseconds. It stands still at weekends. */
function workingTime(at: Date): number {
  const since = at.getTime() - MONDAY
  const weeks = Math.floor(since / WEEK)
  return weeks * WORKING_WEEK + Math.min(since - weeks * WEEK, WORKING_WEEK)
}

/** Returns the moment in a working week: `weeks` after `MONDAY`, and the rest on working days. */
const momentIn = (weeks: number, working: number): Date =>
  new Date(MONDAY + weeks * WEEK + working - weeks * WORKING_WEEK)

/** Returns when the target of a case that waits since `since` ends. It is never on a weekend. */
export function reviewDueAt(since: Date, targetHours: number): Date {
  const end = workingTime(since) + targetHours * HOUR
  return momentIn(Math.floor(end / WORKING_WEEK), end)
}

/** Returns the share of the target that has passed. It is above 1 if the case is overdue. */
export const targetShare = (since: Date, targetHours: number, now: Date): number =>
  Math.max(0, workingTime(now) - workingTime(since)) / (targetHours * HOUR)

/** Returns the moment before which overdue cases began to wait: exactly those with `reviewDueAt` before `now`. */
export function overdueBefore(now: Date, targetHours: number): Date {
  const start = workingTime(now) - targetHours * HOUR
  return momentIn(Math.ceil(start / WORKING_WEEK) - 1, start)
}
