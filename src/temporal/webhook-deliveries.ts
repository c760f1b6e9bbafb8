/** Names and starts the workflow that delivers a batch. */
import type { Client } from '@temporalio/client'
import type { webhookDeliveries } from '../../workflows/webhook-deliveries.ts'
import { TASK_QUEUES } from './client.ts'

/** The maximum number of logs per workflow. */
export const MAX_BATCH = 500
const START_DEADLINE_MS = 5_000
const WORKFLOW_PREFIX = 'webhook-deliveries-'
export const batchWorkflowId = (batchId: string): string => WORKFLOW_PREFIX + batchId
export const batchIdOf = (workflowId: string): string => workflowId.slice(WORKFLOW_PREFIX.length)

/**
 * Starts the workflow of a batch. The workflow ID serves as a lock, so that a batch runs only once. Logs that the batch
 * does not finish move to another batch.
 */
export async function startBatch(temporal: Client, batchId: string, webhookLogIds: readonly string[]) {
  await temporal.withDeadline(Date.now() + START_DEADLINE_MS, () =>
    temporal.workflow.start<typeof webhookDeliveries>('webhookDeliveries', {
      workflowId: batchWorkflowId(batchId),
      taskQueue: TASK_QUEUES.entities,
      args: [{ webhookLogIds, slowTaskQueue: TASK_QUEUES.slowDeliveries }],
      requestEagerStart: true,
      // The time after which Temporal notices that a worker has died during a task.
      workflowTaskTimeout: '5 seconds',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      staticSummary: `${webhookLogIds.length} webhook deliveries`,
    }),
  )
}
