/** Activities for housekeeping. Each pass finishes the work that stopped processes left undone. */
import { WorkflowNotFoundError } from '@temporalio/common'
import { NIL, v7 as newId } from 'uuid'
import { deleteExpiredConsoleSessions } from '../src/db/access/console-session.ts'
import { deleteExpiredCounters } from '../src/db/access/counter.ts'
import { deleteOldIdempotencyKeys } from '../src/db/access/idempotency-key.ts'
import { deleteExpiredPageSessions } from '../src/db/access/page-session.ts'
import { findAppliedProfiles } from '../src/db/access/profile.ts'
import { deleteExpiredCheckLinks } from '../src/db/cases/check-link.ts'
import {
  deleteExpiredCommands,
  deleteOldCommands,
  findUnacknowledgedCommands,
} from '../src/db/commands/command.ts'
import { findSourcesOfOldFacts, insertFact } from '../src/db/commands/pending-fact.ts'
import { FIRST_CURSOR } from '../src/db/connection/cursor.ts'
import type { Database } from '../src/db/connection/database.ts'
import { deleteOldUserEmails } from '../src/db/email/email.ts'
import { findReminders, remind } from '../src/db/email/notice.ts'
import { findPersonReminders, remindPerson } from '../src/db/email/person-notice.ts'
import { insertUrlNotices } from '../src/db/email/url-notice.ts'
import { sweepFiles } from '../src/db/files/file.ts'
import { fillFilterColumns } from '../src/db/lists/filter-columns.ts'
import { indexNames } from '../src/db/lists/old-names.ts'
import { eraseKept, findKept } from '../src/db/removal/removal.ts'
import {
  type BatchedLog,
  findPendingInOldBatches,
  findProcessingInOldBatches,
  type LogCursor,
  moveToBatch,
} from '../src/db/webhooks/batch.ts'
import { reportFailingUrls } from '../src/db/webhooks/failing-report.ts'
import {
  deleteOldWebhookLogs,
  foldWebhookLogCounts,
  indexWebhookLogs,
} from '../src/db/webhooks/housekeeping.ts'
import { deleteOldLeases } from '../src/db/webhooks/lease.ts'
import { deleteOldPublishedEvents } from '../src/db/webhooks/published-event.ts'
import { failRemovedQueues, reopenQueues } from '../src/db/webhooks/queue.ts'
import { deleteExpiredWebhookSecrets } from '../src/db/webhooks/setting.ts'
import { profileApplies } from '../src/domain/decision/profile-change.ts'
import type { Entity, EntityRef } from '../src/domain/entity/entity.ts'
import { resyncAfterCommands, sendFacts } from '../src/temporal/facts.ts'
import { batchWorkflowId, MAX_BATCH, startBatch } from '../src/temporal/webhook-deliveries.ts'
import type { HousekeepingActivities } from '../workflows/activities.ts'
import type { ActivityDeps } from './deps.ts'
import { removeFiles } from './removed-files.ts'
import { createHousekeepingSteps, runForEach, type Step } from './steps.ts'

/** The maximum number of workflows in one query to Temporal. */
const MAX_IDS_PER_QUERY = 100
const SCREENING_MS = 12_000
/** The maximum number of rows that a step handles in one pass. */
const PAGE = 200
/** The time limit for one signal. If a signal fails, a later pass sends it again. */
const SIGNAL_MS = 5_000

export function createHousekeepingActivities(deps: ActivityDeps): HousekeepingActivities {
  const {
    db,
    temporal,
    starter,
    dispatcher,
    screening,
    mailer,
    unfinishedDays,
    webhookLogRetentionDays,
    log,
  } = deps

  /** Moves to new batches the logs that no running workflow delivers, and returns their number. */
  async function recover(found: readonly BatchedLog[]): Promise<number> {
    const gone = new Set<string>()
    const unlisted = await unlistedOf([...new Set(found.map(({ batchId }) => batchId))])
    // Temporal may not list a new workflow yet. If a workflow cannot be described, the next pass handles its batch.
    const [asking] = await Promise.allSettled([
      runForEach(unlisted, async (batchId) => {
        if (!(await isRunning(batchWorkflowId(batchId)))) gone.add(batchId)
      }),
    ])
    const left = found.flatMap(({ id, batchId }) => (gone.has(batchId) ? [id] : []))
    await runForEach(splitIntoBatches(left, MAX_BATCH), async (ids) => {
      const batchId = newId()
      const moved = await moveToBatch(db, ids, batchId)
      if (moved.length > 0) await startBatch(temporal, batchId, moved)
    })
    if (asking.status === 'rejected') throw asking.reason
    return left.length
  }

  /**
   * Returns the batches that Temporal does not list as running. Queries by ID, because Temporal may be running many
   * other workflows.
   */
  async function unlistedOf(batchIds: readonly string[]): Promise<string[]> {
    const running = new Set<string>()
    for (const lot of splitIntoBatches(batchIds.map(batchWorkflowId), MAX_IDS_PER_QUERY)) {
      const ids = lot.map((id) => `'${id}'`)
      const query = `WorkflowId IN (${ids.join(', ')}) AND ExecutionStatus = 'Running'`
      for await (const { workflowId } of temporal.workflow.list({ query })) running.add(workflowId)
    }
    return batchIds.filter((batchId) => !running.has(batchWorkflowId(batchId)))
  }

  const isRunning = (workflowId: string): Promise<boolean> =>
    temporal.workflow
      .getHandle(workflowId)
      .describe()
      .then(
        ({ status }) => status.name === 'RUNNING',
        (error) => {
          if (error instanceof WorkflowNotFoundError) return false
          throw error
        },
      )

  /** Creates a step that reads the next page in each pass, so that rows whose work fails do not delay later rows. */
  function inPages<T extends { readonly id: string }>(
    read: (db: Database, after: string, limit: number) => Promise<T[]>,
    work: (page: readonly T[]) => Promise<number>,
  ): Step {
    let after: string = NIL
    return async () => {
      const page = await read(db, after, PAGE)
      after = page[PAGE - 1]?.id ?? NIL
      return work(page)
    }
  }
  const moveToAppliedProfiles = (entity: Entity) =>
    inPages(
      (_, after, limit) => findAppliedProfiles(db, entity, after, limit),
      (due) =>
        runForEach(due, async ({ id, vaultId, version }) => {
          await insertFact(db, id, { entity, id, vaultId }, profileApplies(id, version))
          await within(() => sendFacts(db, temporal, id))
        }),
    )
  const within = (work: () => Promise<void>) => temporal.withDeadline(Date.now() + SIGNAL_MS, work)

  /** The positions from which the next scans for deliveries continue. */
  let pendingFrom: string | null = null
  let processingFrom: LogCursor | null = null
  let sweptFrom = FIRST_CURSOR
  const steps: Record<string, Step> = {
    async startMissingWorkflows() {
      starter.resume()
      return 0
    },

    async recoverDeliveries() {
      dispatcher.wake()
      const pending = await findPendingInOldBatches(db, pendingFrom)
      const processing = await findProcessingInOldBatches(db, processingFrom)
      // A delivery that fails must not delay later deliveries.
      pendingFrom = pending.next
      processingFrom = processing.next
      return recover([...pending.found, ...processing.found])
    },

    sendPendingFacts: inPages(findSourcesOfOldFacts, (sources) =>
      runForEach(sources, ({ id }) => within(() => sendFacts(db, temporal, id))),
    ),

    resyncWorkflows: inPages(findUnacknowledgedCommands, (commands) => {
      const targets = new Map(commands.map(({ target }) => [target.id, target]))
      const idsOf = (target: EntityRef) =>
        commands.flatMap((each) => (each.target.id === target.id ? [each.id] : []))
      return runForEach([...targets.values()], (target) =>
        within(() => resyncAfterCommands(db, temporal, target, idsOf(target))),
      )
    }),

    async remindApplicants() {
      if (!mailer) return 0
      const cases = await findReminders(db, PAGE)
      const people = await findPersonReminders(db, PAGE)
      const count =
        (await runForEach(cases, (id) => remind(db, id, unfinishedDays))) +
        (await runForEach(people, (id) => remindPerson(db, id)))
      if (count > 0) starter.wake()
      return count
    },
    moveApplications: moveToAppliedProfiles('kyb'),
    moveVerifications: moveToAppliedProfiles('identification'),

    screenDue: () => screening.screenDue(SCREENING_MS),

    async reportFailingUrls() {
      const count = await reportFailingUrls(db, mailer ? insertUrlNotices : async () => {})
      if (count > 0) starter.wake()
      return count
    },
    deleteOldUserEmails: () => deleteOldUserEmails(db),
    failRemovedQueues: () => reopenQueues(db).then(() => failRemovedQueues(db)),
    deleteOldLeases: () => deleteOldLeases(db),
    deleteExpiredCommands: () => deleteExpiredCommands(db),
    deleteOldCommands: () => deleteOldCommands(db),
    deleteOldIdempotencyKeys: () => deleteOldIdempotencyKeys(db),
    deleteExpiredCounters: () => deleteExpiredCounters(db),
    deleteExpiredPageSessions: () => deleteExpiredPageSessions(db),
    deleteExpiredCheckLinks: () => deleteExpiredCheckLinks(db),
    deleteExpiredConsoleSessions: () => deleteExpiredConsoleSessions(db),
    deleteExpiredWebhookSecrets: () => deleteExpiredWebhookSecrets(db),
    eraseKept: inPages(findKept, (page) => {
      const records = new Map(page.map((each) => [each.target.id, each]))
      return runForEach([...records.values()], async (each) => removeFiles(deps, await eraseKept(db, each)))
    }),
    async sweepFiles() {
      const { found, next } = await sweepFiles(db, sweptFrom)
      sweptFrom = next
      await removeFiles(deps, found)
      return found.length
    },
    foldWebhookLogCounts: () => foldWebhookLogCounts(db),
    deleteOldWebhookLogs: () => deleteOldWebhookLogs(db, webhookLogRetentionDays),
    deleteOldPublishedEvents: () => deleteOldPublishedEvents(db, webhookLogRetentionDays),
    indexWebhookLogs: () => indexWebhookLogs(db),
    indexNames: () => indexNames(db),
    fillFilterColumns: () => fillFilterColumns(db),
  }
  return { runHousekeeping: createHousekeepingSteps(steps, log) }
}

const splitIntoBatches = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))
