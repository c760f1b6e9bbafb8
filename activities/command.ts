/** Activities for commands. They apply a batch of commands in one transaction, each at most once. */
import { renewAssignment } from '../src/db/cases/assignment.ts'
import { getCommandsForUpdate, type LockedCommand, markApplied } from '../src/db/cases/command.ts'
import { type Database, transaction, withSpan } from '../src/db/connection/database.ts'
import type { Problem } from '../src/domain/base/errors.ts'
import type { Entity, Snapshots } from '../src/domain/entity/entity.ts'
import type { Span } from '../src/process/span.ts'
import type { Records } from '../src/temporal/entities.ts'
import type { CommandsInput, CommandsResult } from '../workflows/activities.ts'
import type { CommandOutcome } from '../workflows/messages.ts'
import { inCommandSpans } from './spans.ts'

interface CommandTarget<E extends Entity> {
  readonly entity: E
  /** Reads the entity and locks its row. */
  lock(tx: Database, vaultId: string, id: string): Promise<Records[E] | null>
  snapshotOf(record: Records[E]): Snapshots[E]
  /**
   * Writes the change, the timeline and the events, and returns the new record. If the command was refused
   * after another change was written, returns both the record and the problems.
   */
  apply(
    tx: Database,
    record: Records[E],
    command: LockedCommand<E>,
  ): Promise<
    { readonly record: Records[E] } | { readonly problems: readonly Problem[]; readonly record?: Records[E] }
  >
}

const WITHDRAWN: CommandOutcome = { outcome: 'withdrawn' }

export function applyCommands<E extends Entity>(
  db: Database,
  target: CommandTarget<E>,
  input: CommandsInput,
): Promise<CommandsResult<Snapshots[E]>> {
  const { entity } = target
  const { id, vaultId, commandIds } = input
  return inCommandSpans(db, 'apply command', { entity, id, vaultId }, commandIds, (own, spanOf) =>
    applyInTransaction(own, target, input, spanOf),
  )
}

function applyInTransaction<E extends Entity>(
  db: Database,
  { entity, lock, snapshotOf, apply }: CommandTarget<E>,
  { id, vaultId, commandIds, version }: CommandsInput,
  spanOf: (commandId: string) => Span,
): Promise<CommandsResult<Snapshots[E]>> {
  return transaction(db, async (tx): Promise<CommandsResult<Snapshots[E]>> => {
    const found = await getCommandsForUpdate(tx, { entity, id, vaultId }, commandIds)
    const commands = commandIds.map((commandId) => found.get(commandId) ?? null)
    // Runs before the entity is read, so that an unreadable entity does not block its commands for ever.
    if (commands.every(isWithdrawn))
      return { outcome: 'applied', state: null, outcomes: commands.map(() => WITHDRAWN) }
    const locked = await lock(tx, vaultId, id)
    if (!locked) throw new Error('the workflow’s entity is not in the database')
    let record = locked
    const isRerun = commands.includes('applied')
    const state = snapshotOf(record)
    if (!isRerun && state.version !== version) return { outcome: 'stale', state }
    const outcomes: CommandOutcome[] = []
    for (const command of commands) {
      if (command === 'applied') outcomes.push({ outcome: 'applied' })
      else if (!command || command.expired) outcomes.push(WITHDRAWN)
      else {
        const own = withSpan(tx, spanOf(command.id))
        const applied = await apply(own, record, command)
        record = applied.record ?? record
        if ('problems' in applied) outcomes.push({ outcome: 'refused', problems: applied.problems })
        else {
          await markApplied(own, command.id, record.state)
          await renewAssignment(own, { entity, id }, command.actor)
          outcomes.push({ outcome: 'applied' })
        }
      }
    }
    return { outcome: 'applied', state: snapshotOf(record), outcomes }
  })
}

const isWithdrawn = (command: LockedCommand<Entity> | 'applied' | null): boolean =>
  command === null || (command !== 'applied' && command.expired)
