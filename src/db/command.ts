/** Rows of commands: what was asked, kept until it is applied or withdrawn. */
import { and, eq, isNull, lt, sql } from 'drizzle-orm'
import { commands } from '../../drizzle/schema.ts'
import type { Commands, Entity, EntityRef } from '../domain/entity.ts'
import type { Database } from './database.ts'
import { sealedFor } from './sealed.ts'

export interface NewCommand<E extends Entity> {
  readonly id: string
  readonly target: EntityRef<E>
  readonly command: Commands[E]
  readonly actor: string
}

export interface LockedCommand<E extends Entity> extends Omit<NewCommand<E>, 'target'> {
  readonly expired: boolean
  readonly applied: boolean
}

const context = (id: string) => sealedFor('commands.payload', id)

export async function insertCommand<E extends Entity>(
  db: Database,
  { id, target, command, actor }: NewCommand<E>,
  lifetimeMs: number,
): Promise<void> {
  const { kind, ...payload } = command
  await db.orm.insert(commands).values({
    id,
    entity: target.entity,
    entityId: target.id,
    vaultId: target.vaultId,
    kind,
    payload: db.encryption.sealJson(payload, context(id)),
    actor,
    expiresAt: sql`clock_timestamp() + ${lifetimeMs} * interval '1 millisecond'`,
  })
}

/** The one place where a command comes back from what was sealed of it. */
function commandOf<E extends Entity>(
  db: Database,
  { id, kind, payload }: typeof commands.$inferSelect,
): Commands[E] {
  return { kind, ...db.encryption.openJson<object>(payload, context(id)) } as Commands[E]
}

const ofEntity = ({ entity, id }: EntityRef, commandId: string) =>
  and(eq(commands.id, commandId), eq(commands.entity, entity), eq(commands.entityId, id))

/** The entity's command, locked until the transaction ends; null when it was withdrawn. */
export async function lockCommand<E extends Entity>(
  tx: Database,
  target: EntityRef<E>,
  id: string,
): Promise<LockedCommand<E> | null> {
  const [row] = await tx.orm.select().from(commands).where(ofEntity(target, id)).for('update')
  if (!row) return null
  // Read after the lock was granted: waiting for it may have taken until the deadline.
  const [clock] = await tx.orm.execute<{ now: string }>(sql`SELECT clock_timestamp() AS now`)
  return {
    id,
    command: commandOf(tx, row),
    actor: row.actor,
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
export interface AppliedCommand<E extends Entity> {
  readonly command: Commands[E]
  readonly result: Record<string, string>
}

export async function findAppliedCommand<E extends Entity>(
  db: Database,
  target: EntityRef<E>,
  id: string,
): Promise<AppliedCommand<E> | null> {
  const [row] = await db.orm.select().from(commands).where(ofEntity(target, id))
  if (!row?.appliedAt) return null
  return { command: commandOf(db, row), result: row.result ?? {} }
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
