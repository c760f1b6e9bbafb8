/** Presents holds to operators. A hold that an operator created is a case. */
import { unixSeconds } from '../../contracts/common.ts'
import type { CaseOwner } from '../../domain/identification/holds.ts'
import {
  type CaseDetails,
  caseStatus,
  type HoldWithNotes,
  type RecordedHold,
} from '../../domain/identification/recorded-hold.ts'

export const presentCase = (found: RecordedHold) =>
  ({
    id: found.id,
    identification_id: found.identificationId,
    owner: found.owner as CaseOwner,
    services: found.services,
    reason: found.reason,
    status: caseStatus(found),
    opened_at: unixSeconds(found.openedAt),
    closed_at: found.liftedAt && unixSeconds(found.liftedAt),
  }) as const

export const presentCaseDetails = (found: CaseDetails) => ({
  ...presentCase(found),
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
