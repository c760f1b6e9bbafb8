/** Rows of commands: what was asked, kept until it is applied or withdrawn (design, section 2.4). */
import { and, eq, isNull, lt, sql } from 'drizzle-orm'
import { commands } from '../../drizzle/schema.ts'
import type { Database } from './database.ts'
import { sealedFor } from './sealed.ts'

export type Entity = 'kyb' | 'identification'

export interface NewCommand {
  readonly id: string
  readonly entity: Entity
  readonly entityId: string
  readonly vaultId: string
  readonly kind: string
  readonly payload: unknown
  readonly actor: string
}

export interface Command extends NewCommand {
  readonly expired: boolean
  readonly applied: boolean
}

const context = (id: string) => sealedFor('commands.payload', id)

export async function insertCommand(db: Database, command: NewCommand, lifetimeMs: number): Promise<void> {
  await db.orm.insert(commands).values({
    ...command,
    payload: db.encryption.sealJson(command.payload, context(command.id)),
    expiresAt: sql`clock_timestamp() + ${lifetimeMs} * interval '1 millisecond'`,
  })
}

/** The command, locked until the transaction ends; null when it was withdrawn. */
export async function lockCommand(tx: Database, id: string): Promise<Command | null> {
  const [row] = await tx.orm.select().from(commands).where(eq(commands.id, id)).for('update')
  if (!row) return null
  // Read after the lock was granted: waiting for it may have taken until the deadline.
  const [clock] = await tx.orm.execute<{ now: string }>(sql`SELECT clock_timestamp() AS now`)
  return {
    ...row,
    payload: tx.encryption.openJson(row.payload, context(id)),
    expired: new Date(clock?.now ?? 0) >= row.expiresAt,
    applied: row.appliedAt !== null,
  }
}

export async function markApplied(tx: Database, id: string, result: Record<string, string>): Promise<void> {
  await tx.orm.update(commands).set({ appliedAt: sql`clock_timestamp()`, result }).where(eq(commands.id, id))
}

/**
 * Deletes the command unless it is applied. Waits for a transaction that is applying it, so that the
 * answer is final: withdrawn here means never applied.
 */
export async function withdrawCommand(db: Database, id: string): Promise<'withdrawn' | 'applied'> {
  const deleted = await db.orm
    .delete(commands)
    .where(and(eq(commands.id, id), isNull(commands.appliedAt)))
    .returning({ id: commands.id })
  if (deleted.length > 0) return 'withdrawn'
  const [row] = await db.orm.select({ id: commands.id }).from(commands).where(eq(commands.id, id))
  return row ? 'applied' : 'withdrawn'
}

/** What was asked and what came of it, where the command was applied. */
export interface AppliedCommand {
  readonly payload: unknown
  readonly result: Record<string, string>
}

export async function findAppliedCommand(db: Database, id: string): Promise<AppliedCommand | null> {
  const [row] = await db.orm.select().from(commands).where(eq(commands.id, id))
  if (!row?.appliedAt) return null
  return { payload: db.encryption.openJson(row.payload, context(id)), result: row.result ?? {} }
}

/** What a crashed process left: commands past their deadline that nothing can apply any more. */
export async function deleteExpiredCommands(db: Database): Promise<number> {
  const deleted = await db.orm
    .delete(commands)
    .where(
      and(isNull(commands.appliedAt), lt(commands.expiresAt, sql`clock_timestamp() - interval '1 minute'`)),
    )
    .returning({ id: commands.id })
  return deleted.length
}
