/** Rules for a case's assignment to an operator, which ends when the operator is idle for some time. */

export interface Assignment {
  /** The actor: `operator:<id>`. */
  readonly assignedTo: string | null
  readonly assignedUntil: Date | null
}

const UNASSIGNED: Assignment = { assignedTo: null, assignedUntil: null }

/** Returns the assignment that is active at `now`. Both fields are null if there is none. */
export const assignmentAt = (
  { assignedTo, assignedUntil }: Assignment,
  now: Date = new Date(),
): Assignment => (assignedUntil !== null && assignedUntil > now ? { assignedTo, assignedUntil } : UNASSIGNED)
