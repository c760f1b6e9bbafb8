/** Workflow: one pass of housekeeping, which a Schedule starts. It finishes what stopped processes left undone. */
import { proxyActivities } from '@temporalio/workflow'
import type { HousekeepingActivities, HousekeepingResult } from './activities.ts'

const { runHousekeeping } = proxyActivities<HousekeepingActivities>({
  startToCloseTimeout: '1 minute',
  // The next pass comes soon.
  retry: { maximumAttempts: 1 },
})

export const housekeeping = (): Promise<HousekeepingResult> => runHousekeeping()
