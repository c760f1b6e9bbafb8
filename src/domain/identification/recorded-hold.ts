/** Rules for stored holds, with their reasons, actors and times. */
import type { BlockReason, Hold, HoldStatus } from './holds.ts'

export interface RecordedHold extends Hold {
  readonly identificationId: string
  readonly reason: BlockReason
  readonly openedBy: string
  readonly openedAt: Date
  /** When the workflow applied the hold, or null if it has not applied it yet. */
  readonly appliedAt: Date | null
  readonly closeRequestedBy: string | null
  readonly closeRequestedAt: Date | null
  readonly liftedBy: string | null
  readonly liftedAt: Date | null
}

export interface HoldWithNotes extends RecordedHold {
  readonly notes: string | null
}

export interface HoldDetails extends HoldWithNotes {
  readonly vaultId: string
  /** The version of the identification to which the hold belongs. */
  readonly version: number
}

export const holdStatus = ({ liftedAt, closeRequestedAt }: RecordedHold): HoldStatus =>
  liftedAt ? 'closed' : closeRequestedAt ? 'closing' : 'open'

/**
 * The maximum number of holds in a list. A client can block and unblock any number of times, so only the timeline
 * contains all holds.
 */
export const MAX_LISTED_HOLDS = 200
