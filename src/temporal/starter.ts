/**
 * Starts the workflows of what was created: one after the other, and slower while commands are under way, since each
 * start leaves a first workflow task, and a thousand of them at once would keep every command waiting. What is to be
 * started is in the rows alone, so nothing is lost with a process, and several share the work.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { hasCommandsInProgress } from '../db/cases/command.ts'
import { findUnstartedEntities, isUnstarted, markWorkflowStarted } from '../db/cases/entity.ts'
import { FIRST_CURSOR } from '../db/connection/cursor.ts'
import type { Database } from '../db/connection/database.ts'
import type { Entity, EntityRef } from '../domain/entity.ts'
import type { Logger } from '../process/log.ts'
import { ENTITIES, startEntity } from './entities.ts'

const PAGE = 50
const DEADLINE_MS = 5_000
/** Between two starts, while commands are under way. */
const BEHIND_COMMANDS_MS = 20
/** News that come sooner share a look at the rows. */
const LOOK_MS = 200
/** So many failures one after the other are not those of single entities. */
const MAX_FAILURES = 3
/** Temporal is away then: nobody tries for a time, which doubles up to this. */
const MAX_LOG_INTERVAL_MS = 60_000

export interface Starter {
  /** Looks for entities without a workflow, whoever created them; returns at once. */
  wake(): void
  /** The same, when Temporal is known to answer. */
  resume(): void
  /** Lets the start under way end. */
  stop(): Promise<void>
}

interface StarterOptions {
  readonly db: Database
  /** Its connection should be the workers': then the first workflow task comes with the start. */
  readonly temporal: Client
  readonly log: Logger
}

export function createStarter({ db, temporal, log }: StarterOptions): Starter {
  let running: Promise<void> | null = null
  let woken = false
  let stopping = false
  let failedPasses = 0
  let quietUntil = 0
  /** Where the last pass ended, which may have met nothing but failures. */
  let last = FIRST_CURSOR

  async function run(): Promise<void> {
    while (woken && !stopping && performance.now() >= quietUntil) {
      woken = false
      await pass().then(succeeded, failed)
      await sleep(LOOK_MS)
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
    quietUntil = performance.now() + Math.min(1_000 * 2 ** failedPasses, MAX_LOG_INTERVAL_MS)
  }

  /** Those that cannot be started do not hold up those behind them: they are tried again once these are started. */
  async function pass(): Promise<void> {
    let failures = 0
    // From where the last pass ended, and around to there.
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
        if (await hasCommandsInProgress(db)) await sleep(Math.max(took, BEHIND_COMMANDS_MS))
      }
      if (page.length < PAGE) {
        last = FIRST_CURSOR
        if (isWrapped) return
        isWrapped = true
      }
    }
  }

  /** Another process may have been faster. */
  async function startUnlessStarted(ref: EntityRef): Promise<void> {
    if (!(await isUnstarted(db, ref))) return
    await temporal.withDeadline(Date.now() + DEADLINE_MS, () => startWorkflowOf(db, temporal, ref))
  }

  const wake = () => {
    woken = true
    if (performance.now() >= quietUntil) running ??= run()
  }
  return {
    wake,
    resume() {
      quietUntil = 0
      wake()
    },
    async stop() {
      stopping = true
      await running
    },
  }
}

/** What has ended needs no workflow. */
async function startWorkflowOf<E extends Entity>(
  db: Database,
  temporal: Client,
  ref: EntityRef<E>,
): Promise<void> {
  const { readSnapshot, ended } = ENTITIES[ref.entity]
  const state = await readSnapshot(db, ref.vaultId, ref.id)
  if (state && !ended(state)) await startEntity(temporal, ref, state)
  await markWorkflowStarted(db, ref)
}
