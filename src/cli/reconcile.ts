/** Makes the workflows agree with the database, after either of them lost something. */

import { isDeepStrictEqual } from 'node:util'
import { Client, QueryRejectCondition, QueryRejectedError, WorkflowNotFoundError } from '@temporalio/client'
import pLimit from 'p-limit'
import { NIL } from 'uuid'
import { resync, state as stateQuery } from '../../workflows/messages.ts'
import { countLiveEntities } from '../db/cases/entity.ts'
import { findLiveIdentifications, findLiveKybs } from '../db/cases/snapshot.ts'
import type { Database } from '../db/connection/database.ts'
import { ENTITY_KINDS, type Entity, type EntityRef, type Snapshots } from '../domain/entity.ts'
import { signalEntity, workflowIdOf } from '../temporal/entities.ts'

const PAGE = 500
const REPORT_INTERVAL_MS = 5_000
/** The rate is that of so many times before. */
const LOOKBACK = 6
/** For one answer of a workflow. */
const ANSWER_MS = 5_000
/** After so many in a row that do not answer, it is not them. */
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
  /** The workflow id behind which to begin. */
  readonly after?: string | undefined
  /** Of how many workflows an answer is waited for at once. */
  readonly parallel: number
  /** Ends it early. */
  readonly signal: AbortSignal
  say(line: string): void
}

/**
 * Asks every workflow of an entity that has not ended what it believes, and tells those to read their state again
 * that believe something else or are not there. Waits for each answer, so that commands never wait behind more than
 * `parallel` of them. False when there is something left.
 */
export async function reconcile(given: Reconciling): Promise<boolean> {
  const { db, temporal, parallel, signal, say } = given
  const from = positionOf(given.after)
  const total = await countFrom(db, from)
  const resyncOne = resyncing(temporal)
  const limit = pLimit(parallel)
  /** How much was done by when, in the last half minute: workers that have just started are slow at first. */
  const seen = [{ done: 0, at: performance.now() }]
  const count = { done: 0, told: 0, inARow: 0 }
  let unreached: LiveEntity[] = []
  let reached = given.after
  const isOver = () => signal.aborted || count.inARow >= MAX_UNREACHED

  /** Gives whether it was begun. */
  async function reconcileOne(one: LiveEntity): Promise<boolean> {
    if (isOver()) return false
    try {
      if ((await resyncOne(one)) === 'told') count.told += 1
      count.inARow = 0
    } catch {
      unreached.push(one)
      count.inARow += 1
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
    if (seen.length > LOOKBACK) seen.shift()
    const left = rate > 0 ? duration((total - count.done) / rate) : 'unknown time'
    return (
      `${count.done} of ${total}, ${rate.toFixed(0)} a second, ${left} left; ${count.told} updated, ` +
      `${unreached.length} not reached; last ${reached ?? 'none'}`
    )
  }

  try {
    for (const entity of ENTITY_KINDS.slice(ENTITY_KINDS.indexOf(from.entity))) {
      for (let after = entity === from.entity ? from.id : NIL; !isOver(); ) {
        const page = await readLive(db, entity, after)
        const begunOnes = await Promise.all(page.map((one) => limit(reconcileOne, one)))
        // They are begun one after the other. What did not answer is not behind them where nothing answers any more.
        const last = page[begunOnes.lastIndexOf(true)]
        if (!last || count.inARow >= MAX_UNREACHED) break
        after = last.ref.id
        reached = workflowIdOf(last.ref)
      }
    }
    if (!isOver() && unreached.length > 0) {
      const again = unreached
      unreached = []
      count.done -= again.length
      await Promise.all(again.map((one) => limit(reconcileOne, one)))
    }
  } finally {
    clearInterval(timer)
  }

  say(progress())
  for (const { ref } of unreached) say(`Could not reach ${workflowIdOf(ref)}`)
  if (count.inARow >= MAX_UNREACHED)
    say('The workflows do not answer. Check that Temporal and a worker are running.')
  if (isOver()) say(`Continue with: reconcile${reached === undefined ? '' : ` --after ${reached}`}`)
  return !isOver() && unreached.length === 0
}

/** Gives whether the workflow had to be told; by then it has heard of it. */
function resyncing(temporal: Client) {
  // One that has ended does not answer, since it would not listen either.
  const { connection, options } = temporal
  const asking = new Client({
    connection,
    namespace: options.namespace,
    workflow: { queryRejectCondition: QueryRejectCondition.NOT_OPEN },
  })
  const believed = async (ref: EntityRef): Promise<unknown> => {
    const handle = asking.workflow.getHandle(workflowIdOf(ref))
    try {
      return await asking.withDeadline(Date.now() + ANSWER_MS, () => handle.query(stateQuery))
    } catch (error) {
      if (error instanceof WorkflowNotFoundError || error instanceof QueryRejectedError) return undefined
      throw error
    }
  }
  return async ({ ref, state }: LiveEntity): Promise<'agreed' | 'told'> => {
    if (isDeepStrictEqual(await believed(ref), state)) return 'agreed'
    await temporal.withDeadline(Date.now() + ANSWER_MS, () => signalEntity(temporal, ref, state, resync))
    await believed(ref)
    return 'told'
  }
}

interface Position {
  readonly entity: Entity
  readonly id: string
}

function positionOf(workflowId: string | undefined): Position {
  if (workflowId === undefined) return { entity: ENTITY_KINDS[0], id: NIL }
  const [, entity, id] = /^(kyb|identification)-([0-9a-f-]{36})$/.exec(workflowId) ?? []
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
