/** Rules for the assignment of a case to an operator, which ends if the operator takes no action for some time. */

export interface Assignment {
  /** The actor: `operator:<id>`. */
  readonly assignedTo: string | null
  readonly assignedUntil: Date | null
}

const UNASSIGNED: Assignment = { assignedTo: null, assignedUntil: null }

/** Returns the assignment that is active at `now`. Both fields are null if none is active. */
export const assignmentAt = (
  { assignedTo, assignedUntil }: Assignment,
  now: Date = new Date(),
): Assignment => (assignedUntil !== null && assignedUntil > now ? { assignedTo, assignedUntil } : UNASSIGNED)
