/** Presents holds to operators. A hold that an operator placed is internal. */
import { unixSeconds } from '../../contracts/common.ts'
import type { InternalOwner } from '../../domain/identification/holds.ts'
import {
  type HoldDetails,
  type HoldWithNotes,
  holdStatus,
  type RecordedHold,
} from '../../domain/identification/recorded-hold.ts'

export const presentInternalHold = (found: RecordedHold) =>
  ({
    id: found.id,
    identification_id: found.identificationId,
    owner: found.owner as InternalOwner,
    services: found.services,
    reason: found.reason,
    status: holdStatus(found),
    opened_at: unixSeconds(found.openedAt),
    closed_at: found.liftedAt && unixSeconds(found.liftedAt),
  }) as const

export const presentHoldDetails = (found: HoldDetails) => ({
  ...presentInternalHold(found),
  vault_id: found.vaultId,
  version: found.version,
  notes: found.notes,
  opened_by: found.openedBy,
  closed_by: found.liftedBy,
})

export const presentHold = (hold: HoldWithNotes) => ({
  id: hold.id,
  owner: hold.owner,
  services: hold.services,
  reason: hold.reason,
  notes: hold.notes,
  opened_by: hold.openedBy,
  opened_at: unixSeconds(hold.openedAt),
  in_force_since: hold.appliedAt && unixSeconds(hold.appliedAt),
  lifted_by: hold.liftedBy,
  lifted_at: hold.liftedAt && unixSeconds(hold.liftedAt),
})
