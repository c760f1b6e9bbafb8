/** Rules for the assignment of a case to an operator, which ends once the operator has been idle for a while. */

export interface Assignment {
  /** The actor: `operator:<id>`. */
  readonly assignedTo: string | null
  readonly assignedUntil: Date | null
}

const UNASSIGNED: Assignment = { assignedTo: null, assignedUntil: null }

/** Returns the assignment in force at `now`. */
export const assignmentAt = (
  { assignedTo, assignedUntil }: Assignment,
  now: Date = new Date(),
): Assignment => (assignedUntil !== null && assignedUntil > now ? { assignedTo, assignedUntil } : UNASSIGNED)
