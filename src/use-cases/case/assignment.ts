/** Use cases for the assignment of applications and identifications to operators. */

import { v7 as newId } from 'uuid'
import { appendTimeline } from '../../db/commands/timeline.ts'
import { type Database, transaction } from '../../db/connection/database.ts'
import { getAssignmentForUpdate, setAssignment } from '../../db/lists/assignment.ts'
import { type Refusals, RequestRefused, requireFound } from '../../domain/base/errors.ts'
import type { Assignment } from '../../domain/decision/assignment.ts'
import type { EntityRef } from '../../domain/entity/entity.ts'
import type { WithDb } from '../base/deps.ts'

/**
 * Assigns the case, or extends the existing assignment to the same operator. Throws RequestRefused if the case is
 * assigned to another operator and `takeOver` is false.
 */
export const assign = (
  { db }: WithDb,
  target: EntityRef,
  actor: string,
  takeOver: boolean,
): Promise<Assignment> =>
  transaction(db, async (tx) => {
    const before = await holderOf(tx, target)
    if (before !== null && before !== actor && !takeOver) throw taken(before)
    if (before !== actor) await record(tx, target, 'assigned', actor, { from: before, to: actor })
    return setAssignment(tx, target, actor)
  })

assign.refuses = ['already_assigned'] as const satisfies Refusals

/** Ends the assignment. Throws RequestRefused if the case is assigned to another operator. */
export const unassign = ({ db }: WithDb, target: EntityRef, actor: string): Promise<Assignment> =>
  transaction(db, async (tx) => {
    const before = await holderOf(tx, target)
    if (before !== null && before !== actor) throw taken(before)
    if (before !== null) await record(tx, target, 'released', actor, { from: before, to: null })
    return setAssignment(tx, target, null)
  })

unassign.refuses = ['already_assigned'] as const satisfies Refusals

async function holderOf(tx: Database, target: EntityRef): Promise<string | null> {
  const assignment = requireFound(await getAssignmentForUpdate(tx, target))
  return assignment.assignedTo
}

const taken = (holder: string) =>
  new RequestRefused({
    code: 'already_assigned',
    message: `The case is assigned to ${holder}. To reassign it, set take_over to true.`,
  })

async function record(
  tx: Database,
  target: EntityRef,
  action: string,
  actor: string,
  { from, to }: { readonly from: string | null; readonly to: string | null },
): Promise<void> {
  const change = { ...(from && { from }), ...(to && { to }) }
  await appendTimeline(tx, target, { action, actor, ...change, causeId: newId() })
}
