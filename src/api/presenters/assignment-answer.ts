/** Who has an application or identification in hand, as operators see it. */
import { unixSeconds } from '../../contracts/common.ts'
import { type Assignment, assignmentNow } from '../../db/cases/assignment.ts'

export function presentAssignment(assignment: Assignment) {
  const { assignedTo, assignedUntil } = assignmentNow(assignment)
  return { assigned_to: assignedTo, assigned_until: assignedUntil && unixSeconds(assignedUntil) }
}
