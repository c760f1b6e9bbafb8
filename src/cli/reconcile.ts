/** Command: `reconcile`. Corrects the workflows after Temporal or the database has lost data. */

import { isDeepStrictEqual } from 'node:util'
import { Client, QueryRejectCondition, QueryRejectedError, WorkflowNotFoundError } from '@temporalio/client'
import pLimit from 'p-limit'
import { NIL } from 'uuid'
import { resync, state as stateQuery } from '../../workflows/messages.ts'
import { restartPendingEmails } from '../db/cases/email.ts'
import { countLiveEntities, findLiveness } from '../db/cases/entity.ts'
import { findLiveIdentifications, findLiveKybs } from '../db/cases/snapshot.ts'
import type { Database } from '../db/connection/database.ts'
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
  const limit = pLimit(parallel)
  /** The samples for the rate cover only about half a minute, because workers are slow just after they start. */
  const seen = [{ done: 0, at: performance.now() }]
  const count = { done: 0, updated: 0, consecutiveFailures: 0 }
  let unreached: LiveEntity[] = []
  let reached = given.after
  const shouldStop = () => signal.aborted || count.consecutiveFailures >= MAX_UNREACHED

  /** Handles an entity and returns true. If the run is stopping, does nothing and returns false. */
  async function reconcileOne(one: LiveEntity): Promise<boolean> {
    if (shouldStop()) return false
    try {
      if ((await resyncOne(one)) === 'updated') count.updated += 1
      count.consecutiveFailures = 0
    } catch {
      unreached.push(one)
      count.consecutiveFailures += 1
    }
    count.done += 1
    return true
  }
  const timer = setInterval(() => say(progress()), REPORT_INTERVAL_MS)
  function progress(): string {
    const now = { done: count.done, at: performance.now() }
    const [since = now] = seen
    const rate = (Math.max(0, now.done - since.done) * 1000) / (now.at - since.at)
    seen.push(now)
    if (seen.length > RATE_SAMPLES) seen.shift()
    const left = rate > 0 ? duration((total - count.done) / rate) : 'unknown time'
    return (
      `${count.done} of ${total}, ${rate.toFixed(0)} per second, ${left} left; ${count.updated} updated, ` +
      `${unreached.length} not reached; last ${reached ?? 'none'}`
    )
  }

  try {
    for (const entity of ENTITY_KINDS.slice(ENTITY_KINDS.indexOf(from.entity))) {
      for (let after = entity === from.entity ? from.id : NIL; !shouldStop(); ) {
        const page = await readLive(db, entity, after)
        const areHandled = await Promise.all(page.map((one) => limit(reconcileOne, one)))
        // Entities are handled in order. If no workflow responds, the position must stay before the entities without a
        // response.
        const last = page[areHandled.lastIndexOf(true)]
        if (!last || count.consecutiveFailures >= MAX_UNREACHED) break
        after = last.ref.id
        reached = workflowIdOf(last.ref)
      }
    }
    if (!shouldStop() && unreached.length > 0) {
      const again = unreached
      unreached = []
      count.done -= again.length
      await Promise.all(again.map((one) => limit(reconcileOne, one)))
    }
    if (!shouldStop()) count.updated += await endOthers(given)
  } finally {
    clearInterval(timer)
  }

  say(total + count.updated === 0 ? 'There are no workflows to reconcile.' : progress())
  for (const { ref } of unreached) say(`Could not reach ${workflowIdOf(ref)}`)
  if (count.consecutiveFailures >= MAX_UNREACHED)
    say('The workflows do not respond. Check that Temporal and a worker are running.')
  if (shouldStop()) say(`Continue with: reconcile${reached === undefined ? '' : ` --after ${reached}`}`)
  return !shouldStop() && unreached.length === 0
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
