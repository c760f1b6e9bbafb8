/** Presents administrative actions that await a second administrator. */
import { unixSeconds } from '../../contracts/common.ts'
import { type AdminProposal, valuesOf } from '../../domain/access/admin-action.ts'
import type { Requested } from '../../use-cases/access/admin-action.ts'

export const presentProposal = (
  { id, action, proposedBy, createdAt }: AdminProposal,
  half: string | null = null,
) => ({
  id,
  action: action.kind,
  user_id: 'userId' in action ? action.userId : null,
  vault_id: 'vaultId' in action ? action.vaultId : null,
  changes: Object.fromEntries(valuesOf(action)),
  proposed_by: proposedBy,
  proposed_at: unixSeconds(createdAt),
  ...(half !== null && { one_time_password_half: half }),
})

/** Presents the result of an action, or responds with 202 and the proposed action. */
export const presentRequestedResponse =
  <T, A extends object>(present: (done: T) => A) =>
  (requested: Requested<T>) =>
    requested.proposal
      ? ({
          status: 202,
          body: { data: presentProposal(requested.proposal, requested.passwordHalf) },
        } as const)
      : present(requested.done)
