/** Makes the workflows agree with the database, after either of them lost something. */
import type { Client } from '@temporalio/client'
import { resync } from '../../workflows/messages.ts'
import type { Database } from '../db/database.ts'
import { liveEntities, markWorkflowStarted } from '../db/entity.ts'
import { unstartedEntities } from '../db/unheard.ts'
import { ENTITY_KINDS, type Entity, type EntityRef } from '../domain/entity.ts'
import { ENTITIES, signalEntity, startEntity, workflowIdOf } from './entities.ts'

const PAGE = 200
const NIL = '00000000-0000-0000-0000-000000000000'

/** Starts the workflow of an entity that was just created or that housekeeping found without one. */
export async function startWorkflowOf<E extends Entity>(
  db: Database,
  temporal: Client,
  ref: EntityRef<E>,
): Promise<void> {
  const state = await ENTITIES[ref.entity].readSnapshot(db, ref.vaultId, ref.id)
  if (state) await startEntity(temporal, ref, state)
  await markWorkflowStarted(db, ref)
}

/** Starts what a process that died between its insert and the start left behind. */
export async function startUnstarted(
  db: Database,
  temporal: Client,
  onFailure: (error: unknown) => void,
): Promise<number> {
  let started = 0
  for (const entity of ENTITY_KINDS) {
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
  for (const entity of ENTITY_KINDS) {
    for (let after = NIL; ; ) {
      const rows = await liveEntities(db, entity, after, PAGE)
      for (const row of rows) {
        const state = await ENTITIES[entity].readSnapshot(db, row.vaultId, row.id)
        if (state)
          await signalEntity(temporal, row, state, resync).catch(() => failed.push(workflowIdOf(row)))
      }
      done += rows.length
      report(done)
      after = rows.at(-1)?.id ?? ''
      if (rows.length < PAGE) break
    }
  }
  return failed
}
