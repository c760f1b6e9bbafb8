/**
 * Rules for a vault's review target, which is the number of hours on working days within which a waiting case should be
 * decided.
 */

const HOUR = 3_600_000
const DAY = 24 * HOUR
const WEEK = 7 * DAY
const WORKING_WEEK = 5 * DAY
/** The Monday at midnight UTC from which working time is counted, in milliseconds since 1970. */
const MONDAY = Date.UTC(1970, 0, 5)

/** The limits and the default, in hours of working days. A working day has 24 hours. */
export const REVIEW_TARGET_HOURS = { min: 1, max: 720, default: 24 }

/** Returns the working time since `MONDAY`, in milliseconds. Working time excludes weekends. */
function workingTime(at: Date): number {
  const since = at.getTime() - MONDAY
  const weeks = Math.floor(since / WEEK)
  return weeks * WORKING_WEEK + Math.min(since - weeks * WEEK, WORKING_WEEK)
}

/**
 * Returns the moment at which `working` milliseconds of working time have passed since `MONDAY`. This moment lies in
 * week `weeks`.
 */
const momentIn = (weeks: number, working: number): Date =>
  new Date(MONDAY + weeks * WEEK + working - weeks * WORKING_WEEK)

/** Returns the due date of a case that has waited since `since`. The result is never on a weekend. */
export function reviewDueAt(since: Date, targetHours: number): Date {
  const end = workingTime(since) + targetHours * HOUR
  return momentIn(Math.floor(end / WORKING_WEEK), end)
}

/** Returns the fraction of the target time that has passed. It exceeds 1 if the case is overdue. */
export const targetShare = (since: Date, targetHours: number, now: Date): number =>
  Math.max(0, workingTime(now) - workingTime(since)) / (targetHours * HOUR)

export type TargetState = 'good' | 'soon' | 'overdue'

/** The fraction of the target time after which a case is due soon. */
const SOON = 0.7

/** Returns how urgent a case is. `share` is the fraction of the target time that has passed. */
export function targetState(share: number): TargetState {
  if (share >= 1) return 'overdue'
  return share >= SOON ? 'soon' : 'good'
}

/** Returns the time before which a wait must have started for the case to be overdue at `now`. */
export function overdueBefore(now: Date, targetHours: number): Date {
  const start = workingTime(now) - targetHours * HOUR
  return momentIn(Math.ceil(start / WORKING_WEEK) - 1, start)
}
