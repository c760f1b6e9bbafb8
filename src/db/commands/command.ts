/**
 * Queries for commands. The payload of a command remains until the command is applied. The row remains until the
 * request can no longer be repeated.
 */
import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import { v7 as newId } from 'uuid'
import { commands, unacknowledgedCommands } from '../../../drizzle/schema.ts'
import { isUuid } from '../../domain/base/uuid.ts'
import type { Commands, Entity, EntityRef, States } from '../../domain/entity/entity.ts'
import { deleteOldest } from '../connection/batches.ts'
import { comesWithin, isOlderThan } from '../connection/clock.ts'
import type { Database } from '../connection/database.ts'
import { eqAny } from '../connection/eq-any.ts'
import { lowestIdAt } from '../connection/id-time.ts'
import { sealedFor } from '../connection/sealed.ts'

export interface NewCommand<E extends Entity> {
  readonly id: string
  readonly target: EntityRef<E>
  readonly command: Commands[E]
  readonly actor: string
}

/** A command that is not applied yet. */
export interface LockedCommand<E extends Entity> extends Omit<NewCommand<E>, 'target'> {
  readonly expired: boolean
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
    traceparent: db.span.traceparent,
    expiresAt: sql`clock_timestamp() + ${lifetimeMs} * interval '1 millisecond'`,
  })
}

const ofEntity = ({ entity, id }: EntityRef, commandId: string) =>
  and(eq(commands.id, commandId), eq(commands.entity, entity), eq(commands.entityId, id))

/** Returns the entity's commands by ID, locked until the transaction ends. Omits commands that were withdrawn. */
export async function getCommandsForUpdate<E extends Entity>(
  tx: Database,
  { entity, id: entityId }: EntityRef<E>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LockedCommand<E> | 'applied'>> {
  // Reads the clock once the lock is granted, because the wait for the lock may last until the deadline.
  const rows = await tx.orm.execute<{
    id: string
    kind: string
    payload: Buffer | null
    actor: string
    expired: boolean
    applied: boolean
  }>(sql`
    WITH locked AS (
      SELECT * FROM commands WHERE id = ANY(${sql.param(ids.filter(isUuid))}) AND entity = ${entity} AND entity_id = ${entityId}
      ORDER BY id FOR UPDATE
    )
    SELECT id, kind, payload, actor, clock_timestamp() >= expires_at AS expired, applied_at IS NOT NULL AS applied
    FROM locked`)
  return new Map(
    rows.map(({ id, kind, payload, actor, expired, applied }): [string, LockedCommand<E> | 'applied'] => {
      if (applied || !payload) return [id, 'applied']
      const command = { kind, ...tx.encryption.unsealJson<object>(payload, context(id)) } as Commands[E]
      return [id, { id, command, actor, expired }]
    }),
  )
}

export interface StoredTrace {
  readonly traceparent: string | null
  readonly createdAt: Date
}

/** Returns the traces of commands that are not applied yet, sorted by ID. */
export const findCommandTraces = (
  db: Database,
  ids: readonly string[],
): Promise<(StoredTrace & { readonly id: string })[]> =>
  db.orm
    .select({ id: commands.id, traceparent: commands.traceparent, createdAt: commands.createdAt })
    .from(commands)
    .where(and(eqAny(commands.id, ids.filter(isUuid)), isNull(commands.appliedAt)))
    .orderBy(commands.id)

/** Marks the command as applied, stores its result and deletes its payload. */
export async function markApplied(tx: Database, id: string, result: States[Entity]): Promise<void> {
  await tx.orm.execute(sql`
    WITH applied AS (
      UPDATE commands SET applied_at = clock_timestamp(), payload = NULL, result = ${JSON.stringify(result)}::jsonb
      WHERE id = ${id} RETURNING id, entity, entity_id, vault_id, applied_at
    )
    INSERT INTO unacknowledged_commands (id, entity, entity_id, vault_id, applied_at) SELECT * FROM applied`)
}

/** Makes housekeeping request that the workflow reads its state again, because no command has changed it. */
export async function requestResync(tx: Database, { entity, id: entityId, vaultId }: EntityRef) {
  const row = { id: newId(), entity, entityId, vaultId, appliedAt: sql`clock_timestamp()` }
  await tx.orm.insert(unacknowledgedCommands).values(row)
}

/** Records that the workflow has acknowledged the applied commands, or is about to read its state again. */
export async function acknowledgeCommands(db: Database, ids: readonly string[]): Promise<void> {
  await db.orm.delete(unacknowledgedCommands).where(eqAny(unacknowledgedCommands.id, ids))
}

/** Returns commands with IDs above `after` that were applied over ten seconds ago and are not acknowledged. */
export async function findUnacknowledgedCommands(
  db: Database,
  after: string,
  limit: number,
): Promise<{ readonly id: string; readonly target: EntityRef }[]> {
  const { id, appliedAt } = unacknowledgedCommands
  const rows = await db.orm
    .select()
    .from(unacknowledgedCommands)
    .where(and(gt(id, after), isOlderThan(appliedAt, 10)))
    .orderBy(id)
    .limit(limit)
  return rows.map((row) => ({
    id: row.id,
    target: { entity: row.entity, id: row.entityId, vaultId: row.vaultId },
  }))
}

/**
 * Deletes the command, unless it is applied. Waits for a transaction that is applying it, so that the outcome is final.
 */
export async function withdrawCommand(db: Database, id: string): Promise<'withdrawn' | 'applied'> {
  for (;;) {
    const deleted = await db.orm
      .delete(commands)
      .where(and(eq(commands.id, id), isNull(commands.appliedAt)))
      .returning({ id: commands.id })
    if (deleted.length > 0) return 'withdrawn'
    const [row] = await db.orm
      .select({ appliedAt: commands.appliedAt })
      .from(commands)
      .where(eq(commands.id, id))
    if (!row) return 'withdrawn'
    if (row.appliedAt) return 'applied'
    // The insert was slow, and was committed only after the deletion ran.
  }
}

export interface AppliedCommand<E extends Entity> {
  /** The state that resulted from the command, regardless of later changes. */
  readonly state: States[E]
  readonly appliedAt: Date
}

export async function findAppliedCommand<E extends Entity>(
  db: Database,
  target: EntityRef<E>,
  id: string,
): Promise<AppliedCommand<E> | null> {
  const [row] = await db.orm.select().from(commands).where(ofEntity(target, id))
  if (!row?.appliedAt) return null
  return { state: row.result as States[E], appliedAt: row.appliedAt }
}

/** Returns whether any command is in progress, which means that it is neither applied nor expired. */
export async function hasCommandsInProgress({ orm }: Database): Promise<boolean> {
  const [row] = await orm
    .select({ id: commands.id })
    .from(commands)
    .where(and(isNull(commands.appliedAt), comesWithin(commands.expiresAt, 60)))
    .limit(1)
  return row !== undefined
}

/** Deletes the expired commands of stopped processes. No process can apply such commands. */
export const deleteExpiredCommands = (db: Database): Promise<number> =>
  deleteOldest(db, commands.expiresAt, sql`applied_at IS NULL AND expires_at < now() - interval '1 minute'`)

/** A request can be repeated for 24 hours after its command gets an ID. An upload can extend this time. */
const REPEATABLE_MS = 25 * 3_600_000

/**
 * Deletes commands whose requests can no longer be repeated. Finds them through the primary key, because IDs sort by
 * time.
 */
export const deleteOldCommands = (db: Database): Promise<number> =>
  deleteOldest(
    db,
    commands.id,
    sql`id < ${lowestIdAt(new Date(Date.now() - REPEATABLE_MS))}::uuid AND applied_at < now() - interval '25 hours'`,
  )
