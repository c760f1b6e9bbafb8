/** Defines the workflow of the floor for commands. Its update runs one activity and nothing else. */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineUpdate,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'

export const BARE_TASK_QUEUE = 'bench-bare'

const { write } = proxyActivities<{ write(id: string): Promise<number> }>({
  startToCloseTimeout: '6 seconds',
})

export const change = defineUpdate<number, [string]>('change')

/** Continues as new in time, because Temporal refuses updates after the 2,000th of a run. */
export async function bare(): Promise<void> {
  setHandler(change, (id) => write(id))
  await condition(() => workflowInfo().continueAsNewSuggested && allHandlersFinished())
  await continueAsNew<typeof bare>()
}
