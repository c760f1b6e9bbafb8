/** One pass of housekeeping, started by a Schedule: finds what a dead process left undone. */
import { deprecatePatch, proxyActivities } from '@temporalio/workflow'
import type { HousekeepingActivities, HousekeepingResult } from './activities.ts'

const { housekeep } = proxyActivities<HousekeepingActivities>({
  startToCloseTimeout: '1 minute',
  // The next pass comes soon.
  retry: { maximumAttempts: 1 },
})

export async function housekeeping(): Promise<HousekeepingResult> {
  // Passes of before it ended within a minute; goes like those of batches (docs/decisions.md).
  deprecatePatch('steps')
  return housekeep()
}
