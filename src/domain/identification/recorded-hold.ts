/** Holds as their rows say: who blocked what, when and why, and who lifted it. */
import type { BlockReason, CaseStatus, Hold } from './holds.ts'

export interface RecordedHold extends Hold {
  readonly identificationId: string
  readonly reason: BlockReason
  readonly openedBy: string
  readonly openedAt: Date
  /** Null until the workflow has applied it. */
  readonly appliedAt: Date | null
  readonly closeRequestedBy: string | null
  readonly closeRequestedAt: Date | null
  readonly liftedBy: string | null
  readonly liftedAt: Date | null
}

export interface HoldWithNotes extends RecordedHold {
  readonly notes: string | null
}

export interface CaseDetails extends HoldWithNotes {
  readonly vaultId: string
  /** Of the identification. */
  readonly version: number
}

export const caseStatus = ({ liftedAt, closeRequestedAt }: RecordedHold): CaseStatus =>
  liftedAt ? 'closed' : closeRequestedAt ? 'closing' : 'open'

/** The most that are listed. A client that blocks and unblocks adds one each time; the timeline has them all. */
export const MAX_LISTED_HOLDS = 200
