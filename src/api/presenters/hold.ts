/** Presents holds to operators. A hold that an operator placed is internal. */
import { holdDetailsResponse, holdResponse } from '../../contracts/hold.ts'
import { presenterOf } from '../../contracts/record.ts'
import { holdShown } from '../../contracts/review.ts'
import type { InternalOwner } from '../../domain/identification/holds.ts'
import {
  type HoldDetails,
  type HoldWithNotes,
  holdStatus,
  type RecordedHold,
} from '../../domain/identification/recorded-hold.ts'

const presentInternal = presenterOf(holdResponse.shape.data)
const presentDetails = presenterOf(holdDetailsResponse.shape.data)
const present = presenterOf(holdShown)

const internal = <H extends RecordedHold>(hold: H) => ({
  ...hold,
  owner: hold.owner as InternalOwner,
  status: holdStatus(hold),
  closedAt: hold.liftedAt,
  closedBy: hold.liftedBy,
})

export const presentInternalHold = (hold: RecordedHold) => presentInternal(internal(hold))

export const presentHoldDetails = (hold: HoldDetails) => presentDetails(internal(hold))

export const presentHold = (hold: HoldWithNotes) => present({ ...hold, inForceSince: hold.appliedAt })
