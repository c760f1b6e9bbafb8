/** A hit of a screening: an entry of a list that a company or person may be, and what was decided about it. */
import type { HitStatus, Match, Subject } from './screening.ts'

export interface Hit extends Match {
  readonly id: string
  readonly subject: Subject
  readonly status: HitStatus
  readonly foundAt: Date
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly comment: string | null
}

/** What came of looking for the names on lists. */
export interface ScreeningResult {
  /** When the lists were last searched; null for never. */
  readonly screenedAt: Date | null
  /** Null while what is there now was not screened; `off` where nobody is. */
  readonly listVersion: string | null
  /** The strongest first, those that are still to be decided before the others. */
  readonly hits: readonly Hit[]
}
