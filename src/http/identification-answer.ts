/** An identification as clients see it (specification, "Identification"). */
import { unixSeconds } from '../contracts/common.ts'
import type { AppliedCommand } from '../db/command.ts'
import { findIdentification, type Identification } from '../db/identification.ts'
import type { Ref } from '../domain/entity.ts'
import { RequestRefused } from '../domain/errors.ts'
import { identificationStatus } from '../domain/identification.ts'
import type { AppDeps } from './deps.ts'

export const presentIdentification = (identification: Identification) => {
  const { review, state } = identification
  const [account] = identification.accounts
  return {
    id: identification.id,
    status: identificationStatus(state),
    name: identification.name,
    surname: identification.surname,
    external_uuid: identification.externalUuid,
    account_id: account?.id ?? null,
    account_referral: account?.referral ?? null,
    review: review && {
      outcome: review.outcome,
      reason_code: review.reasonCode,
      client_comment: review.clientComment,
      fields: (review.corrections ?? []).map(({ path }) => path),
      decided_at: review.decidedAt,
    },
    created_at: unixSeconds(identification.createdAt),
    ...(identification.erasedAt && { erased_at: unixSeconds(identification.erasedAt) }),
  }
}

/**
 * The identification as it is now; after a command that an earlier run of the request sent, with the status
 * that it led to. Throws RequestRefused when the vault has none of this id.
 */
export async function answerIdentification(
  { db }: Pick<AppDeps, 'db'>,
  { id, vaultId }: Ref,
  earlier?: AppliedCommand<'identification'> | null,
) {
  const identification = await findIdentification(db, vaultId, id)
  if (!identification) throw new RequestRefused({ code: 'not_found' })
  const data = presentIdentification(identification)
  const status = earlier?.result.status as typeof data.status | undefined
  return { body: { data: status === undefined ? data : { ...data, status } } }
}
