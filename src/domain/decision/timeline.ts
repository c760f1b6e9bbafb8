/** Who did what to an application or identification, and when. */
import type { Finding } from './decision.ts'

export interface TimelineEntry {
  /** Rises with time. */
  readonly id: number
  readonly action: string
  readonly actor: string
  readonly from: string | null
  readonly to: string | null
  readonly reasonCode: string | null
  /** Paths of the fields that were touched, and ids of the files: never what is in them. */
  readonly fields: readonly string[]
  readonly files: readonly string[]
  /** The file that was read, if that is what the entry says. */
  readonly fileId: string | null
  readonly clientComment: string | null
  readonly internalNote: string | null
  readonly findings: readonly Finding[]
  readonly createdAt: Date
}
