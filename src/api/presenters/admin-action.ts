/** Presents administrative actions that await a second administrator. */
import { adminActionResponse } from '../../contracts/admin-action.ts'
import { presenterOf } from '../../contracts/record.ts'
import { type AdminProposal, valuesOf } from '../../domain/access/admin-action.ts'
import type { Requested } from '../../use-cases/access/admin-action.ts'

const present = presenterOf(adminActionResponse.shape.data)

export const presentProposal = (
  { action, createdAt, ...proposal }: AdminProposal,
  half: string | null = null,
) =>
  present({
    ...proposal,
    action: action.kind,
    userId: 'userId' in action ? action.userId : null,
    vaultId: 'vaultId' in action ? action.vaultId : null,
    changes: Object.fromEntries(valuesOf(action)),
    proposedAt: createdAt,
    ...(half !== null && { oneTimePasswordHalf: half }),
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
