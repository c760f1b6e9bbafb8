/** Presents the assigned operator. */

import { unixSeconds } from '../../domain/base/unix-time.ts'
import { type Assignment, currentAssignment } from '../../domain/decision/assignment.ts'

export function presentAssignment(assignment: Assignment) {
  const { assignedTo, assignedUntil } = currentAssignment(assignment)
  return { assigned_to: assignedTo, assigned_until: assignedUntil && unixSeconds(assignedUntil) }
}
