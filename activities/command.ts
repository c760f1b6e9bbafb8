/** Applies the row of a command in one transaction, at most once (design, sections 2.4 to 2.6). */
import { type Command, lockCommand, markApplied } from '../src/db/command.ts'
import { type Database, transaction } from '../src/db/database.ts'
import type { Problem } from '../src/domain/errors.ts'
import type { ApplyResult } from '../workflows/messages.ts'

export interface CommandInput {
  readonly id: string
  readonly vaultId: string
  readonly commandId: string
  /** The version of the state on which the workflow let the command pass. */
  readonly version: number
}

export interface CommandTarget<Record, State extends { readonly version: number }> {
  /** Reads the entity and locks its row. */
  lock(tx: Database, vaultId: string, id: string): Promise<Record | null>
  stateOf(record: Record): State
  /** Writes what the command changes, the timeline and the events; gives the record it left. */
  apply(
    tx: Database,
    record: Record,
    command: Command,
  ): Promise<Record | { readonly problems: readonly Problem[] }>
}

export async function applyCommand<Record extends object, State extends { readonly version: number }>(
  db: Database,
  { lock, stateOf, apply }: CommandTarget<Record, State>,
  { id, vaultId, commandId, version }: CommandInput,
): Promise<ApplyResult<State>> {
  return transaction(db, async (tx): Promise<ApplyResult<State>> => {
    // Judged before the entity is read: one that cannot be read does not hold up its commands for good.
    const command = await lockCommand(tx, commandId)
    if (!command || (command.expired && !command.applied)) return { outcome: 'withdrawn' }
    const record = await lock(tx, vaultId, id)
    if (!record) throw new Error('the entity of a workflow is not in the database')
    const state = stateOf(record)
    if (command.applied) return { outcome: 'applied', state }
    if (state.version !== version) return { outcome: 'stale', state }
    const applied = await apply(tx, record, command)
    if ('problems' in applied) return { outcome: 'refused', state, problems: applied.problems }
    await markApplied(tx, commandId, {})
    return { outcome: 'applied', state: stateOf(applied) }
  })
}
