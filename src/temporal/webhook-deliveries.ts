/** How the workflow of a batch of deliveries is named and started. */
import type { Client } from '@temporalio/client'
import type { webhookDeliveries } from '../../workflows/webhook-deliveries.ts'
import { TASK_QUEUES } from './client.ts'

/** How many logs share a workflow at most. */
export const MAX_BATCH = 500
const START_DEADLINE_MS = 5_000
const WORKFLOW_PREFIX = 'webhook-deliveries-'
export const batchWorkflowId = (batchId: string): string => WORKFLOW_PREFIX + batchId
export const batchIdOf = (workflowId: string): string => workflowId.slice(WORKFLOW_PREFIX.length)

/** The workflow id is the lock: a batch runs once. What it leaves goes to another. */
export async function startBatch(
  temporal: Client,
  batchId: string,
  webhookLogIds: readonly string[],
): Promise<void> {
  await temporal.withDeadline(Date.now() + START_DEADLINE_MS, () =>
    temporal.workflow.start<typeof webhookDeliveries>('webhookDeliveries', {
      workflowId: batchWorkflowId(batchId),
      taskQueue: TASK_QUEUES.deliveries,
      args: [{ webhookLogIds, slowTaskQueue: TASK_QUEUES.slowDeliveries }],
      requestEagerStart: true,
      // A worker that died with a task is noticed after this time.
      workflowTaskTimeout: '5 seconds',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      staticSummary: `${webhookLogIds.length} webhook deliveries`,
    }),
  )
}
