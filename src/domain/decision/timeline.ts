/** Rules for timelines, which record the actors, actions and times of changes to a case. */
import type { Finding } from './decision.ts'

export interface TimelineEntry {
  /** The ID, which increases with time. */
  readonly id: number
  readonly action: string
  readonly actor: string
  readonly from: string | null
  readonly to: string | null
  readonly reasonCode: string | null
  /** The paths of the changed fields, and the IDs of the changed files. Their values are not recorded. */
  readonly fields: readonly string[]
  readonly files: readonly string[]
  /** The ID of the file that was read, if the entry records a file access. */
  readonly fileId: string | null
  readonly clientComment: string | null
  readonly internalNote: string | null
  readonly findings: readonly Finding[]
  /** The ID of the trace in which the change was made, or null. */
  readonly traceId: string | null
  readonly createdAt: Date
}
