/**
 * Workflow: one pass of housekeeping, which a Temporal Schedule starts. It finishes the work that stopped processes
 * left undone.
 */
import { proxyActivities, setWorkflowOptions } from '@temporalio/workflow'
import type { HousekeepingActivities, HousekeepingResult } from './activities.ts'
import { pinnedIfVersioned } from './versioning.ts'

const { runHousekeeping } = proxyActivities<HousekeepingActivities>({
  startToCloseTimeout: '1 minute',
  // The next pass repeats the work soon.
  retry: { maximumAttempts: 1 },
})

export const housekeeping = (): Promise<HousekeepingResult> => runHousekeeping()

// A pass ends within a minute, so it finishes on the version that began it.
setWorkflowOptions(pinnedIfVersioned, housekeeping)
