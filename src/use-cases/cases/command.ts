/** Sends commands to entities: refused by what the database says if they can be, else by their workflow. */
import { v7 as newId } from 'uuid'
import type { AppliedCommand } from '../../db/cases/command.ts'
import type { Database } from '../../db/connection/database.ts'
import type { Commands, Entity, EntityRef } from '../../domain/entity.ts'
import { RequestRefused } from '../../domain/errors.ts'
import type { Screening } from '../../screening/screening.ts'
import { ENTITIES } from '../../temporal/entities.ts'
import type { Gateway } from '../../temporal/gateway.ts'
import type { Effect } from '../effect.ts'

/** Who asks, and for what effect: the same id each time that one request is run. */
export interface Asking {
  readonly actor: string
  readonly effect: Effect
}

/** What is there must have been screened before, by the lists as they are now. */
const APPROVING: readonly string[] = ['approve', 'confirm']

export interface CommandDeps {
  readonly db: Database
  readonly gateway: Gateway
  readonly screening: Screening
}

/**
 * Returns once the command is applied. Gives the command of an earlier run of the same request when that was
 * applied. Throws RequestRefused with every reason against it.
 */
export async function runCommand<E extends Entity>(
  { db, gateway, screening }: CommandDeps,
  { actor, effect }: Asking,
  target: EntityRef<E>,
  command: Commands[E],
): Promise<AppliedCommand<E> | null> {
  const since = performance.now()
  const { find, transition, snapshotOf } = ENTITIES[target.entity]
  if (APPROVING.includes(command.kind)) await screening.screen(target)
  const record = await find(db, target.vaultId, target.id)
  if (!record) throw new RequestRefused({ code: 'not_found' })
  const earlier = effect.isRerun ? await gateway.earlier(target, effect.id) : null
  if (earlier) return earlier
  const trial = transition(record, command, { now: new Date(), newId, actor })
  if ('problems' in trial) throw new RequestRefused(...trial.problems)
  await gateway.run({ id: effect.id, target, command, actor, state: snapshotOf(record), since })
  return null
}
