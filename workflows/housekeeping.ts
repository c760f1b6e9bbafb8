/** One pass of housekeeping, started by a Schedule: finds what a dead process left undone. */
import { proxyActivities } from '@temporalio/workflow'
import type { HousekeepingActivities } from './activities.ts'

const { startMissingWorkflows, repeatFacts, recoverDeliveries, deleteLeftovers } =
  proxyActivities<HousekeepingActivities>({
    startToCloseTimeout: '30 seconds',
    // The next pass comes soon.
    retry: { maximumAttempts: 1 },
  })

export async function housekeeping(): Promise<void> {
  await Promise.allSettled([startMissingWorkflows(), repeatFacts(), recoverDeliveries(), deleteLeftovers()])
}
