/** Presents administrative actions that await a second administrator. */
import { adminActionResponse } from '../../contracts/admin-action.ts'
import { presenterOf } from '../../contracts/record.ts'
import { type AdminProposal, valuesOf } from '../../domain/access/admin-action.ts'

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
