/** Makes the workflows agree with the database, after either of them lost something. */
import type { Client } from '@temporalio/client'
import type { Entity } from '../db/command.ts'
import type { Database } from '../db/database.ts'
import { type EntityRow, liveEntities, markWorkflowStarted, unstartedEntities } from '../db/reconcile.ts'
import { ENTITIES, type Snapshots, signalEntity, startEntity, workflowIdOf } from './entities.ts'

const PAGE = 200
const NIL = '00000000-0000-0000-0000-000000000000'

/** Starts the workflow of an entity that was just created or that the reconciler found without one. */
export async function startWorkflowOf<E extends Entity>(
  db: Database,
  temporal: Client,
  { entity, id, vaultId }: EntityRow & { entity: E },
): Promise<void> {
  const state = await ENTITIES[entity].readSnapshot(db, vaultId, id)
  if (state) await startEntity<E>(temporal, { entity, id, vaultId }, state as Snapshots[E])
  await markWorkflowStarted(db, entity, id)
}

/** Starts what a process that died between its insert and the start left behind. */
export async function startUnstarted(
  db: Database,
  temporal: Client,
  onFailure: (error: unknown) => void,
): Promise<number> {
  let started = 0
  for (const entity of ['kyb', 'identification'] as const) {
    for (const row of await unstartedEntities(db, entity, PAGE)) {
      // One that cannot be started does not hold up those behind it; the next pass tries again.
      await startWorkflowOf(db, temporal, row).then(() => {
        started += 1
      }, onFailure)
    }
  }
  return started
}

/** Sends `resync` to every entity that has not ended; gives the workflow ids of those it could not reach. */
export async function resyncAll(
  db: Database,
  temporal: Client,
  report: (done: number) => void,
): Promise<string[]> {
  let done = 0
  const failed: string[] = []
  for (const entity of ['kyb', 'identification'] as const) {
    for (let after = NIL; ; ) {
      const rows = await liveEntities(db, entity, after, PAGE)
      for (const row of rows) {
        const state = await ENTITIES[entity].readSnapshot(db, row.vaultId, row.id)
        if (state) await signalEntity(temporal, row, state).catch(() => failed.push(workflowIdOf(row)))
      }
      done += rows.length
      report(done)
      after = rows.at(-1)?.id ?? ''
      if (rows.length < PAGE) break
    }
  }
  return failed
}
