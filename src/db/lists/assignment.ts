/**
 * Queries for the operator to whom an application or identification is assigned. An assignment ends after 15 minutes in
 * which the operator takes no action.
 */

import { and, eq, type SQL, sql } from 'drizzle-orm'
import { operatorIdOf } from '../../domain/access/access.ts'
import { type Assignment, currentAssignment } from '../../domain/decision/assignment.ts'
import type { EntityKey, EntityRef } from '../../domain/entity/entity.ts'
import { tableOf } from '../commands/entity.ts'
import type { Database } from '../connection/database.ts'

const ENDING = sql`clock_timestamp() + interval '15 minutes'`

/** The current assignment, as columns of a list. */
export const ASSIGNMENT = sql`CASE WHEN assigned_until > now() THEN assigned_to END AS "assignedTo",
  CASE WHEN assigned_until > now() THEN floor(extract(epoch FROM assigned_until))::int END AS "assignedUntil"`

export const assignedTo = (actor: string): SQL => sql`assigned_to = ${actor} AND assigned_until > now()`
export const UNASSIGNED = sql`(assigned_to IS NULL OR assigned_until <= now())`

/**
 * Returns the assignment and locks the entity's row until the transaction ends. Returns null if there is no such
 * entity.
 */
export async function getAssignmentForUpdate(tx: Database, { entity, id }: EntityRef) {
  const table = tableOf(entity)
  const [row] = await tx.orm
    .select({ assignedTo: table.assignedTo, assignedUntil: table.assignedUntil })
    .from(table)
    .where(eq(table.id, id))
    // Takes the same lock as `getIdentificationForUpdate`.
    .for('no key update')
  return row ? currentAssignment(row) : null
}

/** Assigns the entity to the actor, or removes its assignment if the actor is null. */
export async function setAssignment(
  tx: Database,
  { entity, id }: EntityRef,
  actor: string | null,
): Promise<Assignment> {
  const table = tableOf(entity)
  const [row] = await tx.orm
    .update(table)
    .set({ assignedTo: actor, assignedUntil: actor === null ? null : ENDING })
    .where(eq(table.id, id))
    .returning({ assignedTo: table.assignedTo, assignedUntil: table.assignedUntil })
  return row ?? { assignedTo: null, assignedUntil: null }
}

/** Extends the assignment if the entity is assigned to the actor. Has no effect for other actors. */
export async function renewAssignment(tx: Database, { entity, id }: EntityKey, actor: string): Promise<void> {
  if (operatorIdOf(actor) === null) return
  const table = tableOf(entity)
  await tx.orm
    .update(table)
    .set({ assignedUntil: ENDING })
    .where(and(eq(table.id, id), assignedTo(actor)))
}
