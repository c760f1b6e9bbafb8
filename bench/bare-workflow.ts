/** Defines the workflow of the floor for commands. Its update runs one activity and nothing else. */
import { condition, defineUpdate, proxyActivities, setHandler } from '@temporalio/workflow'

export const BARE_TASK_QUEUE = 'bench-bare'

const { write } = proxyActivities<{ write(id: string): Promise<number> }>({
  startToCloseTimeout: '6 seconds',
})

export const change = defineUpdate<number, [string]>('change')

export async function bare(): Promise<void> {
  setHandler(change, (id) => write(id))
  await condition(() => false)
}
