/** One pass of housekeeping, started by a Schedule: finds what a dead process left undone. */
import { patched, proxyActivities } from '@temporalio/workflow'
import type { HousekeepingActivities } from './activities.ts'

const { startMissingWorkflows, repeatFacts, recoverDeliveries, deleteLeftovers, screenDue } =
  proxyActivities<HousekeepingActivities>({
    startToCloseTimeout: '30 seconds',
    // The next pass comes soon.
    retry: { maximumAttempts: 1 },
  })

export async function housekeeping(): Promise<void> {
  const passes: Promise<unknown>[] = [
    startMissingWorkflows(),
    repeatFacts(),
    recoverDeliveries(),
    deleteLeftovers(),
  ]
  // Passes that were under way when this came go on as they began.
  if (patched('screening')) passes.push(screenDue())
  await Promise.allSettled(passes)
}
