/** What housekeeping does on each pass: finds what a dead process left undone. */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { v7 as newId } from 'uuid'
import { removedBeneficiaries } from '../src/db/beneficiary.ts'
import { deleteExpiredCheckLinks } from '../src/db/check-link.ts'
import { deleteExpiredCommands } from '../src/db/command.ts'
import { deleteExpiredConsoleSessions } from '../src/db/console-session.ts'
import { deleteExpiredCounters } from '../src/db/counter.ts'
import { sweepFiles } from '../src/db/file.ts'
import { deleteOldIdempotencyKeys } from '../src/db/idempotency-key.ts'
import { deleteExpiredPageSessions } from '../src/db/page-session.ts'
import { unheardCases, unheardChecks, unheardClosings, unheardReviews } from '../src/db/unheard.ts'
import {
  deleteOldWebhookLogs,
  foldWebhookLogCounts,
  indexWebhookLogs,
} from '../src/db/webhook-housekeeping.ts'
import { takeOverBatch, unfinishedBatches } from '../src/db/webhook-outbox.ts'
import { deleteExpiredWebhookSecrets } from '../src/db/webhook-setting.ts'
import { tellCase, tellCheck, tellClosing, tellRemoval, tellReview } from '../src/temporal/facts.ts'
import { startUnstarted } from '../src/temporal/reconcile.ts'
import { batchWorkflowId, startBatch } from '../src/temporal/webhook-deliveries.ts'
import type { HousekeepingActivities } from '../workflows/activities.ts'
import type { ActivityDeps } from './deps.ts'
import { removeDetached } from './detached-files.ts'

const UNHEARD = 200
const SCREENED = 500
const SCREENING_MS = 12_000

export function createHousekeepingActivities(deps: ActivityDeps): HousekeepingActivities {
  const { db, temporal, dispatcher, screening, webhookLogRetentionDays, log } = deps

  /** Starts the batch again unless it runs after all. What one that has ended left goes to a new one. */
  async function recoverBatch(batchId: string, webhookLogIds: readonly string[]): Promise<void> {
    try {
      // Whoever claimed it may be about to start it: its attempts may be under way.
      await startBatch(temporal, batchId, webhookLogIds, 'another process')
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      const { status } = await temporal.workflow.getHandle(error.workflowId).describe()
      if (status.name === 'RUNNING') return
      const newBatchId = newId()
      const left = await takeOverBatch(db, batchId, newBatchId)
      if (left.length > 0) await startBatch(temporal, newBatchId, left)
    }
  }

  async function runningBatches(): Promise<Set<string>> {
    const query = `WorkflowType = 'webhookDeliveries' AND ExecutionStatus = 'Running'`
    const ids = new Set<string>()
    for await (const { workflowId } of temporal.workflow.list({ query })) ids.add(workflowId)
    return ids
  }

  /** One failing does not keep the others from being done. */
  async function keepWebhookLogs(): Promise<void> {
    const kept = await Promise.allSettled([
      foldWebhookLogCounts(db),
      deleteExpiredWebhookSecrets(db),
      deleteOldWebhookLogs(db, webhookLogRetentionDays).then(() => indexWebhookLogs(db)),
    ])
    for (const each of kept) {
      if (each.status === 'rejected') log.warn({ err: each.reason }, 'webhook logs were not kept in order')
    }
  }

  return {
    async startMissingWorkflows() {
      return startUnstarted(db, temporal, (err) => log.warn({ err }, 'a workflow was not started'))
    },

    async recoverDeliveries() {
      dispatcher.wake()
      const batches = await unfinishedBatches(db)
      if (batches.size === 0) return { unfinishedBatches: 0 }
      const running = await runningBatches()
      for (const [batchId, ids] of batches) {
        if (running.has(batchWorkflowId(batchId))) continue
        await recoverBatch(batchId, ids).catch((err) =>
          log.warn({ err, batchId }, 'a batch was not recovered'),
        )
      }
      return { unfinishedBatches: batches.size }
    },

    async repeatFacts() {
      const cases = await unheardCases(db, UNHEARD)
      const reviews = await unheardReviews(db, UNHEARD)
      const closings = await unheardClosings(db, UNHEARD)
      const checks = await unheardChecks(db, UNHEARD)
      const removals = await removedBeneficiaries(db, UNHEARD)
      const told = await Promise.allSettled([
        ...removals.map((id) => tellRemoval(db, temporal, id)),
        ...cases.map((id) => tellCase(db, temporal, id)),
        ...reviews.map((ref) => tellReview(db, temporal, ref)),
        ...closings.map((ref) => tellClosing(db, temporal, ref)),
        ...checks.map((check) => tellCheck(db, temporal, check)),
      ])
      for (const each of told) {
        if (each.status === 'rejected') log.warn({ err: each.reason }, 'a fact was not told again')
      }
      return {
        cases: cases.length,
        reviews: reviews.length,
        closings: closings.length,
        checks: checks.length,
        removals: removals.length,
      }
    },

    screenDue: () => screening.screenDue(SCREENED, SCREENING_MS),

    async deleteLeftovers() {
      const commands = await deleteExpiredCommands(db)
      await deleteOldIdempotencyKeys(db)
      await deleteExpiredCounters(db)
      await deleteExpiredPageSessions(db)
      await deleteExpiredCheckLinks(db)
      await deleteExpiredConsoleSessions(db)
      const ids = await sweepFiles(db)
      await removeDetached(deps, ids)
      await keepWebhookLogs()
      return { commands, files: ids.length }
    },
  }
}
