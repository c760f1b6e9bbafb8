/** Holds as operators see them; those of operators are cases. */
import { unixSeconds } from '../../contracts/common.ts'
import type { Case, listCases, listHolds } from '../../db/cases/hold.ts'
import type { BlockReason, CaseOwner } from '../../domain/identification/holds.ts'

type CaseWithNotes = Awaited<ReturnType<typeof listCases>>['cases'][number]
type HoldWithNotes = Awaited<ReturnType<typeof listHolds>>[number]

export const presentCase = (found: Omit<Case, 'vaultId'>) =>
  ({
    id: found.id,
    identification_id: found.identificationId,
    owner: found.owner as CaseOwner,
    services: found.services,
    reason: found.reason as BlockReason,
    status: found.liftedAt ? 'closed' : found.closeRequestedAt ? 'closing' : 'open',
    opened_at: unixSeconds(found.openedAt),
    closed_at: found.liftedAt && unixSeconds(found.liftedAt),
  }) as const

export const presentCaseDetails = (found: CaseWithNotes) => ({
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
  reason: hold.reason as BlockReason,
  notes: hold.notes,
  opened_by: hold.openedBy,
  opened_at: unixSeconds(hold.openedAt),
  in_force_since: hold.appliedAt && unixSeconds(hold.appliedAt),
  lifted_by: hold.liftedBy,
  lifted_at: hold.liftedAt && unixSeconds(hold.liftedAt),
})
