/** Rules for the assignment of a case to an operator, which ends if the operator takes no action for some time. */

export interface Assignment {
  /** The actor: `operator:<id>`. */
  readonly assignedTo: string | null
  readonly assignedUntil: Date | null
}

const UNASSIGNED: Assignment = { assignedTo: null, assignedUntil: null }

/** Returns the assignment if it is active now. Otherwise, both fields are null. */
export const currentAssignment = ({ assignedTo, assignedUntil }: Assignment): Assignment =>
  assignedUntil !== null && assignedUntil > new Date() ? { assignedTo, assignedUntil } : UNASSIGNED
