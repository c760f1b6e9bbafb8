/** What the reconciler does on each pass (design, sections 2.11 and 3.7). */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { deleteExpiredCommands } from '../src/db/command.ts'
import { deleteUnattachedFiles, sweepFiles } from '../src/db/file.ts'
import { releaseBatch, unclaimedWebhookLogs, unfinishedBatches } from '../src/db/webhook-log.ts'
import { startUnstarted } from '../src/temporal/reconcile.ts'
import { claimAndStart, startBatch } from '../src/webhooks/dispatcher.ts'
import type { ActivityDeps } from './index.ts'

const BATCH = 100
const ORPHANS = 1_000

export function createHousekeepingActivities({ db, blobs, temporal, log }: ActivityDeps) {
  /** Starts the batch again unless it is still running. One that completed gives its logs back. */
  async function recoverBatch(batchId: string, webhookLogIds: readonly string[]): Promise<void> {
    try {
      await startBatch(temporal, batchId, webhookLogIds)
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      const { status } = await temporal.workflow.getHandle(error.workflowId).describe()
      if (status.name !== 'RUNNING') await releaseBatch(db, batchId)
    }
  }

  return {
    async startMissingWorkflows(): Promise<number> {
      return startUnstarted(db, temporal)
    },

    async recoverDeliveries(): Promise<{ claimed: number; unfinishedBatches: number }> {
      const orphans = await unclaimedWebhookLogs(db, ORPHANS)
      let claimed = 0
      for (let from = 0; from < orphans.length; from += BATCH) {
        claimed += await claimAndStart(db, temporal, orphans.slice(from, from + BATCH))
      }
      const batches = await unfinishedBatches(db)
      for (const [batchId, ids] of batches) {
        await recoverBatch(batchId, ids).catch((err) =>
          log.warn({ err, batchId }, 'a batch was not recovered'),
        )
      }
      return { claimed, unfinishedBatches: batches.size }
    },

    async deleteLeftovers(): Promise<{ commands: number; files: number }> {
      const commands = await deleteExpiredCommands(db)
      const ids = await sweepFiles(db)
      await Promise.all(ids.map((id) => blobs.remove(id)))
      await deleteUnattachedFiles(db, ids)
      return { commands, files: ids.length }
    },
  }
}
