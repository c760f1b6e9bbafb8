/**
 * Starts the workflows of new entities and emails, one at a time, and more slowly while commands are in progress. Each start
 * creates a workflow task, and a thousand tasks at once would delay every command. Only the rows record which workflows
 * must be started, so no start is lost if a process stops, and several processes share the work.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { email } from '../../workflows/email.ts'
import { hasCommandsInProgress } from '../db/commands/command.ts'
import { findUnstartedEntities, isUnstarted, markWorkflowStarted } from '../db/commands/entity.ts'
import { FIRST_CURSOR } from '../db/connection/cursor.ts'
import type { Database } from '../db/connection/database.ts'
import { findUnstartedEmails, markEmailStarted, type UnstartedEmail } from '../db/email/email.ts'
import type { Entity, EntityRef } from '../domain/entity/entity.ts'
import type { Logger } from '../process/log.ts'
import { TASK_QUEUES } from './client.ts'
import { ENTITIES, startEntity } from './entities.ts'

const PAGE = 50
const DEADLINE_MS = 5_000
/** The pause between two starts while commands are in progress. */
const BUSY_PAUSE_MS = 20
/** Notifications within this time share one scan of the rows. */
const SCAN_INTERVAL_MS = 200
/** If this many consecutive starts fail, Temporal is unavailable. */
const MAX_FAILURES = 3
/** The maximum pause while Temporal is unavailable. Each pause is twice as long as the previous one. */
const MAX_PAUSE_MS = 60_000

export interface Starter {
  /** Starts a scan for entities without a workflow, whichever process created them. Returns immediately. */
  wake(): void
  /** Wakes the starter and ends its pause. Call this when Temporal is known to be available. */
  resume(): void
  stop(): Promise<void>
}

interface StarterOptions {
  readonly db: Database
  /** The client to use. With the workers' connection, the first workflow task arrives with the start. */
  readonly temporal: Client
  readonly log: Logger
}

export function createStarter({ db, temporal, log }: StarterOptions): Starter {
  let running: Promise<void> | null = null
  let woken = false
  let stopping = false
  let failedPasses = 0
  let pausedUntil = 0
  /** The position at which the last pass ended. All starts of that pass may have failed. */
  let last = FIRST_CURSOR

  async function run(): Promise<void> {
    while (woken && !stopping && performance.now() >= pausedUntil) {
      woken = false
      await pass().then(startEmails).then(succeeded, failed)
      await sleep(SCAN_INTERVAL_MS)
    }
    running = null
  }

  function succeeded(): void {
    if (failedPasses > 0) log.info('workflow starts have resumed')
    failedPasses = 0
  }

  function failed(err: unknown): void {
    if (failedPasses === 0) log.warn({ err }, 'workflow starts are paused; housekeeping will retry')
    failedPasses += 1
    pausedUntil = performance.now() + Math.min(1_000 * 2 ** failedPasses, MAX_PAUSE_MS)
  }

  /**
   * Tries to start each workflow once. An entity whose start fails does not delay the others. The next pass tries it
   * again.
   */
  async function pass(): Promise<void> {
    let failures = 0
    // Begins where the last pass ended, and wraps around once.
    let isWrapped = last === FIRST_CURSOR
    for (;;) {
      const page = await findUnstartedEntities(db, last, PAGE)
      for (const entity of page) {
        if (stopping) return
        last = entity
        const since = performance.now()
        try {
          await startUnlessStarted(entity)
          failures = 0
        } catch (error) {
          failures += 1
          if (failures === MAX_FAILURES) throw error
        }
        const took = performance.now() - since
        if (await hasCommandsInProgress(db)) await sleep(Math.max(took, BUSY_PAUSE_MS))
      }
      if (page.length < PAGE) {
        last = FIRST_CURSOR
        if (isWrapped) return
        isWrapped = true
      }
    }
  }

  /** Starts the workflow of each new email. Its ID serves as a lock, because several processes may start it. */
  async function startEmails(): Promise<void> {
    for (const unstarted of await findUnstartedEmails(db, PAGE)) {
      if (stopping) return
      await temporal.withDeadline(Date.now() + DEADLINE_MS, () => startEmail(temporal, unstarted))
      await markEmailStarted(db, unstarted.id)
      woken = true
    }
  }

  /** Starts a workflow. Checks the row again first, because another process may have started the workflow. */
  async function startUnlessStarted(ref: EntityRef): Promise<void> {
    if (!(await isUnstarted(db, ref))) return
    await temporal.withDeadline(Date.now() + DEADLINE_MS, () => startWorkflowOf(db, temporal, ref))
  }

  const wake = () => {
    woken = true
    if (performance.now() >= pausedUntil) running ??= run()
  }
  return {
    wake,
    resume() {
      pausedUntil = 0
      wake()
    },
    async stop() {
      stopping = true
      await running
    },
  }
}

/** Starts the workflow of an entity. If the entity has ended, it needs no workflow and is only marked. */
async function startWorkflowOf<E extends Entity>(db: Database, temporal: Client, ref: EntityRef<E>) {
  const { readSnapshot, ended } = ENTITIES[ref.entity]
  const state = await readSnapshot(db, ref.vaultId, ref.id)
  if (state && !ended(state)) await startEntity(temporal, ref, state)
  await markWorkflowStarted(db, ref)
}

async function startEmail(temporal: Client, { id, delayMs }: UnstartedEmail): Promise<void> {
  const options = { workflowId: `email-${id}`, taskQueue: TASK_QUEUES.entities, args: [id] as [string] }
  await temporal.workflow
    .start<typeof email>('email', {
      ...options,
      ...(delayMs > 0 && { startDelay: delayMs }),
    })
    .catch((error) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
    })
}
