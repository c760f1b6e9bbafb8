/** Applies the rows of commands in one transaction, each at most once (design, sections 2.4 to 2.6). */
import { type Command, lockCommand, markApplied } from '../src/db/command.ts'
import { type Database, transaction } from '../src/db/database.ts'
import type { Problem } from '../src/domain/errors.ts'
import type { CommandOutcome, CommandsResult } from '../workflows/messages.ts'

export interface CommandsInput {
  readonly id: string
  readonly vaultId: string
  /** In the order in which they came. */
  readonly commandIds: readonly string[]
  /** The version of the state on which the workflow let the commands pass. */
  readonly version: number
}

export interface CommandTarget<Record, State extends { readonly version: number }> {
  /** Reads the entity and locks its row. */
  lock(tx: Database, vaultId: string, id: string): Promise<Record | null>
  stateOf(record: Record): State
  /** What is kept with the command, for a request that is sent again: codes alone. */
  resultOf(record: Record): { [name: string]: string }
  /** Writes what the command changes, the timeline and the events; gives the record it left. */
  apply(
    tx: Database,
    record: Record,
    command: Command,
  ): Promise<Record | { readonly problems: readonly Problem[] }>
}

const WITHDRAWN: CommandOutcome = { outcome: 'withdrawn' }

export async function applyCommands<Record extends object, State extends { readonly version: number }>(
  db: Database,
  { lock, stateOf, resultOf, apply }: CommandTarget<Record, State>,
  { id, vaultId, commandIds, version }: CommandsInput,
): Promise<CommandsResult<State>> {
  return transaction(db, async (tx): Promise<CommandsResult<State>> => {
    const commands: (Command | null)[] = []
    for (const commandId of commandIds) commands.push(await lockCommand(tx, commandId))
    // Judged before the entity is read: one that cannot be read does not hold up its commands for good.
    if (commands.every(isWithdrawn))
      return { outcome: 'applied', state: null, outcomes: commands.map(() => WITHDRAWN) }
    const locked: Record | null = await lock(tx, vaultId, id)
    if (!locked) throw new Error('the entity of a workflow is not in the database')
    let record: Record = locked
    const isRerun = commands.some((command) => command?.applied)
    if (!isRerun && stateOf(record).version !== version) return { outcome: 'stale', state: stateOf(record) }
    const outcomes: CommandOutcome[] = []
    for (const command of commands) {
      if (command?.applied) outcomes.push({ outcome: 'applied' })
      else if (!command || isWithdrawn(command)) outcomes.push(WITHDRAWN)
      else {
        const applied: Record | { readonly problems: readonly Problem[] } = await apply(tx, record, command)
        if ('problems' in applied) outcomes.push({ outcome: 'refused', problems: applied.problems })
        else {
          await markApplied(tx, command.id, resultOf(applied))
          record = applied
          outcomes.push({ outcome: 'applied' })
        }
      }
    }
    return { outcome: 'applied', state: stateOf(record), outcomes }
  })
}

const isWithdrawn = (command: Command | null): boolean =>
  command === null || (command.expired && !command.applied)
