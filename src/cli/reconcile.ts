/** Command: `reconcile`. Corrects the workflows after Temporal or the database has lost data. */

import { isDeepStrictEqual } from 'node:util'
import { Client, QueryRejectCondition, QueryRejectedError, WorkflowNotFoundError } from '@temporalio/client'
import pLimit from 'p-limit'
import { NIL } from 'uuid'
import { resync, state as stateQuery } from '../../workflows/messages.ts'
import { findLiveIdentifications, findLiveKybs } from '../db/cases/snapshot.ts'
import { countLiveEntities, findLiveness } from '../db/commands/entity.ts'
import type { Database } from '../db/connection/database.ts'
import { restartPendingEmails } from '../db/email/email.ts'
import { ENTITY_KINDS, type Entity, type EntityRef, type Snapshots } from '../domain/entity/entity.ts'
import { ENTITIES, signalEntity, workflowIdOf } from '../temporal/entities.ts'

const PAGE = 500
/** Shorter than `RESPONSE_MS`, so that a report appears while a query hangs. */
const REPORT_INTERVAL_MS = 4_000
/** The number of reports over which the rate is measured. */
const RATE_SAMPLES = 6
/** The time limit for one response from a workflow. */
const RESPONSE_MS = 5_000
/** If this many consecutive queries fail, Temporal or the workers are unavailable. */
const MAX_UNREACHED = 50

interface LiveEntity<E extends Entity = Entity> {
  readonly ref: EntityRef<E>
  readonly state: Snapshots[E]
}

const readLive = async (db: Database, entity: Entity, after: string): Promise<LiveEntity[]> => {
  const rows = await (entity === 'kyb' ? findLiveKybs : findLiveIdentifications)(db, after, PAGE)
  return rows.map(({ id, vaultId, state }) => ({ ref: { entity, id, vaultId }, state }))
}

interface Reconciling {
  readonly db: Database
  readonly temporal: Client
  /** The ID of the workflow after which the run starts. */
  readonly after?: string | undefined
  /** The number of workflows that are queried at the same time. */
  readonly parallel: number
  readonly signal: AbortSignal
  say(line: string): void
}

/** The state of a run. */
interface Run {
  done: number
  updated: number
  consecutiveFailures: number
  unreached: LiveEntity[]
  /** The ID of the last workflow before which all are handled. */
  reached: string | undefined
}

const doesNotRespond = ({ consecutiveFailures }: Run): boolean => consecutiveFailures >= MAX_UNREACHED

/**
 * Queries the workflow of every entity that has not ended. If the workflow is missing, starts it. If its state differs,
 * makes it read the state again. Waits for each response, so that commands never wait behind more than `parallel`
 * workflows. Then ends the workflows of entities that the database lacks or that have ended. Returns false unless every
 * entity is reconciled. Workers start the missing workflows of emails afterwards.
 */
export async function reconcile(given: Reconciling): Promise<boolean> {
  const { db, parallel, signal, say } = given
  const from = positionOf(given.after)
  await restartPendingEmails(db)
  const total = await countFrom(db, from)
  const resyncOne = resyncing(given)
  const run: Run = { done: 0, updated: 0, consecutiveFailures: 0, unreached: [], reached: given.after }
  const shouldStop = () => signal.aborted || doesNotRespond(run)

  /** Handles an entity and returns true. If the run is stopping, does nothing and returns false. */
  async function reconcileOne(one: LiveEntity): Promise<boolean> {
    if (shouldStop()) return false
    try {
      if ((await resyncOne(one)) === 'updated') run.updated += 1
      run.consecutiveFailures = 0
    } catch {
      run.unreached.push(one)
      run.consecutiveFailures += 1
    }
    run.done += 1
    return true
  }
  const limit = pLimit(parallel)
  const reconcileAll = (entities: readonly LiveEntity[]) =>
    Promise.all(entities.map((one) => limit(reconcileOne, one)))

  const rateOf = createRate()
  const progress = () => describeProgress(run, total, rateOf(run.done))
  const timer = setInterval(() => say(progress()), REPORT_INTERVAL_MS)
  try {
    await reconcilePages(db, run, from, { reconcileAll, shouldStop })
    if (!shouldStop() && run.unreached.length > 0) {
      const again = run.unreached
      run.unreached = []
      run.done -= again.length
      await reconcileAll(again)
    }
    if (!shouldStop()) run.updated += await endOthers(given)
  } finally {
    clearInterval(timer)
  }

  say(total + run.updated === 0 ? 'There are no workflows to reconcile.' : progress())
  for (const { ref } of run.unreached) say(`Could not reach ${workflowIdOf(ref)}`)
  if (doesNotRespond(run)) say('The workflows do not respond. Check that Temporal and a worker are running.')
  if (shouldStop())
    say(`Continue with: reconcile${run.reached === undefined ? '' : ` --after ${run.reached}`}`)
  return !shouldStop() && run.unreached.length === 0
}

interface PageSteps {
  /** Handles entities in order, and returns which of them are handled. */
  reconcileAll(entities: readonly LiveEntity[]): Promise<boolean[]>
  shouldStop(): boolean
}

/** Handles all entities that follow the position, page by page. */
async function reconcilePages(
  db: Database,
  run: Run,
  from: Position,
  { reconcileAll, shouldStop }: PageSteps,
) {
  for (const entity of ENTITY_KINDS.slice(ENTITY_KINDS.indexOf(from.entity))) {
    for (let after = entity === from.entity ? from.id : NIL; !shouldStop(); ) {
      const page = await readLive(db, entity, after)
      const areHandled = await reconcileAll(page)
      // If no workflow responds, the position must stay before the entities without a response.
      const last = page[areHandled.lastIndexOf(true)]
      if (!last || doesNotRespond(run)) break
      after = last.ref.id
      run.reached = workflowIdOf(last.ref)
    }
  }
}

/** Returns a function that measures the number of handled entities per second since some reports earlier. */
function createRate(): (done: number) => number {
  /** The samples cover only about half a minute, because workers are slow just after they start. */
  const seen = [{ done: 0, at: performance.now() }]
  return (done) => {
    const now = { done, at: performance.now() }
    const [since = now] = seen
    seen.push(now)
    if (seen.length > RATE_SAMPLES) seen.shift()
    return (Math.max(0, now.done - since.done) * 1000) / (now.at - since.at)
  }
}

function describeProgress({ done, updated, unreached, reached }: Run, total: number, rate: number): string {
  const left = rate > 0 ? duration((total - done) / rate) : 'unknown time'
  return (
    `${done} of ${total}, ${rate.toFixed(0)} per second, ${left} left; ${updated} updated, ` +
    `${unreached.length} not reached; last ${reached ?? 'none'}`
  )
}

/**
 * Returns a function that signals a workflow whose state differs, and waits until the workflow has read the state
 * again. The function returns whether the signal was needed. It reports changes that only the workflow knows, because a
 * restored database lacks them.
 */
function resyncing({ db, temporal, say }: Reconciling) {
  // Makes the query fail if the workflow has ended, because an ended workflow ignores the signal.
  const { connection, options } = temporal
  const queryClient = new Client({
    connection,
    namespace: options.namespace,
    workflow: { queryRejectCondition: QueryRejectCondition.NOT_OPEN },
  })
  const readWorkflowState = async (ref: EntityRef) => {
    const handle = queryClient.workflow.getHandle(workflowIdOf(ref))
    try {
      return await queryClient.withDeadline(Date.now() + RESPONSE_MS, () =>
        handle.query<Snapshots[Entity]>(stateQuery.name),
      )
    } catch (error) {
      if (error instanceof WorkflowNotFoundError || error instanceof QueryRejectedError) return undefined
      throw error
    }
  }
  return async ({ ref, state }: LiveEntity): Promise<'unchanged' | 'updated'> => {
    const known = await readWorkflowState(ref)
    if (isDeepStrictEqual(known, state)) return 'unchanged'
    // Reads the row again, because a command may have changed it in the meantime.
    const isAhead = known !== undefined && known.version > state.version
    const row = isAhead ? await ENTITIES[ref.entity].readSnapshot(db, ref.vaultId, ref.id) : null
    if (isAhead && row && known.version > row.version)
      say(`${workflowIdOf(ref)} has lost changes. It was ${describe(known)}, and is ${describe(row)}.`)
    await temporal.withDeadline(Date.now() + RESPONSE_MS, () => signalEntity(temporal, ref, state, resync))
    await readWorkflowState(ref)
    return 'updated'
  }
}

const describe = ({ status, version }: Snapshots[Entity]) => `${status} at version ${version}`

/**
 * Ends the running workflows of entities that a restored database lacks, and makes those of ended entities read this.
 * Returns their number.
 */
async function endOthers({ db, temporal: { workflow }, say }: Reconciling): Promise<number> {
  const types = ENTITY_KINDS.map((entity) => `'${ENTITIES[entity].workflowType}'`)
  const query = `ExecutionStatus = 'Running' AND WorkflowType IN (${types.join(', ')})`
  const running: Record<Entity, string[]> = { kyb: [], identification: [] }
  for await (const { workflowId } of workflow.list({ query })) {
    const [, entity, id] = WORKFLOW_ID.exec(workflowId) ?? []
    if (entity && id) running[entity as Entity].push(id)
  }
  let ended = 0
  for (const entity of ENTITY_KINDS)
    for (let from = 0; from < running[entity].length; from += PAGE) {
      const ids = running[entity].slice(from, from + PAGE)
      const live = await findLiveness(db, entity, ids)
      for (const id of ids.filter((each) => !live.get(each))) {
        const handle = workflow.getHandle(workflowIdOf({ entity, id }))
        if (!live.has(id)) say(`${workflowIdOf({ entity, id })} is not in the database.`)
        await (live.has(id) ? handle.signal(resync) : handle.terminate(NO_ROW)).then(
          () => (ended += 1),
          (error) => {
            if (!(error instanceof WorkflowNotFoundError)) throw error
          },
        )
      }
    }
  return ended
}

const NO_ROW = 'the restored database does not contain the case'
const WORKFLOW_ID = /^(kyb|identification)-([0-9a-f-]{36})$/

interface Position {
  readonly entity: Entity
  readonly id: string
}

function positionOf(workflowId: string | undefined): Position {
  if (workflowId === undefined) return { entity: ENTITY_KINDS[0], id: NIL }
  const [, entity, id] = WORKFLOW_ID.exec(workflowId) ?? []
  if (!entity || !id)
    throw new Error(`--after requires a workflow ID, such as the last one that reconcile printed.`)
  return { entity: entity as Entity, id }
}

async function countFrom(db: Database, { entity, id }: Position): Promise<number> {
  const kinds = ENTITY_KINDS.slice(ENTITY_KINDS.indexOf(entity))
  const counts = await Promise.all(
    kinds.map((kind) => countLiveEntities(db, kind, kind === entity ? id : NIL)),
  )
  return counts.reduce((sum, each) => sum + each, 0)
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
