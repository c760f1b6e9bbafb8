/** Presents the assigned operator. */

import { unixSeconds } from '../../contracts/common.ts'
import { type Assignment, assignmentAt } from '../../domain/decision/assignment.ts'

export function presentAssignment(assignment: Assignment) {
  const { assignedTo, assignedUntil } = assignmentAt(assignment)
  return { assigned_to: assignedTo, assigned_until: assignedUntil && unixSeconds(assignedUntil) }
}
