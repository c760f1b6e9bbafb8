/** One pass of housekeeping, started by a Schedule: finds what a dead process left undone. */
import { patched, proxyActivities } from '@temporalio/workflow'
import type { HousekeepingActivities, HousekeepingResult } from './activities.ts'

const BEFORE = [
  'startMissingWorkflows',
  'repeatFacts',
  'recoverDeliveries',
  'deleteLeftovers',
  'screenDue',
] as const

const activities = proxyActivities<
  HousekeepingActivities & Record<(typeof BEFORE)[number], () => Promise<unknown>>
>({
  startToCloseTimeout: '1 minute',
  // The next pass comes soon.
  retry: { maximumAttempts: 1 },
})

export async function housekeeping(): Promise<HousekeepingResult> {
  if (patched('steps')) return activities.housekeep()
  // A pass that was under way when this came ends as it began.
  const isScreening = patched('screening')
  const begun = BEFORE.filter((name) => name !== 'screenDue' || isScreening)
  await Promise.allSettled(begun.map((name) => activities[name]()))
  return {}
}
